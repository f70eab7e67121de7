import Wire

/// A client's part on the loop's thread: its session and the model of its rooms.
final class ClientCore: ClientSessionHandler {
    let readers: EventReaders
    private(set) var model = RoomModel()
    private(set) var session: ClientSession?
    /// Has the next token fetched.
    var fetchToken: () -> Void = {}

    init(
        _ url: String, _ configuration: ClientConfiguration, hasTokens: Bool, _ loop: ClientLoop,
        _ readers: EventReaders
    ) throws(ClientError) {
        self.readers = readers
        let tokens: ClientSession.Tokens =
            hasTokens ? .asked : configuration.token.map { .fixed($0) } ?? .none
        session = try ClientSession(url, configuration: configuration, tokens: tokens, loop: loop, handler: self)
    }

    /// Says good-bye and ends.
    func close() {
        session?.close()
        end(.closed)
    }

    private func end(_ error: ClientError) {
        guard session.take() != nil else { return }
        tell(.closed(error))
        readers.finish()
    }

    private func tell(_ event: RoomsEvent) {
        readers.push(event) { model.states }
    }

    func leftRoom(_ roomID: String) { model.remove(roomID) }

    // MARK: What the session tells

    func sessionConnected(_ session: ClientSession, isRecovered: Bool) {
        tell(.connected(isRecovered: isRecovered))
    }

    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {
        tell(.disconnected(reason: reason, retryInMilliseconds: Int(retryInMilliseconds)))
    }

    func sessionClosed(_ session: ClientSession, _ error: ClientError) { end(error) }

    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        model.take(event, text) { tell($0) }
    }

    func session(_ session: ClientSession, moved batch: TouchBatch) {
        model.take(batch) { tell($0) }
    }

    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError) {
        model.remove(roomID)
        tell(.roomClosed(room: roomID, reason: "\(error)"))
    }

    func sessionNeedsToken(_ session: ClientSession) { fetchToken() }
}
