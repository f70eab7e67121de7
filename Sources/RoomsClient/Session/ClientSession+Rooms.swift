import Wire

/// Joining and leaving.
extension ClientSession {
    /// Joins a room, and again after each lost connection, until it is left. `done` is called once. The state of the
    /// room comes just before, as the event `room:joined`.
    public func join(_ roomID: String, _ done: @escaping (Result<Void, ClientError>) -> Void = { _ in }) {
        guard state != .closed else { return done(.failure(.closed)) }
        guard !roomID.isEmpty, roomID.utf8.count <= 128 else {
            return done(.failure(.badArgument("a room's id has 1 to 128 bytes")))
        }
        // At the turn's end: it may use the session.
        rooms.want(roomID) { [loop] result in loop.atTurnEnd { done(result) } }
        sendNextJoin()
    }

    public func leave(_ roomID: String, _ done: @escaping (Result<Void, ClientError>) -> Void = { _ in }) {
        guard rooms.contains(roomID) else { return done(.success(())) }
        let wasAsked = rooms.asked == roomID
        forget(roomID)
        guard isConnected else { return done(.success(())) }
        emit("room:leave", Self.argument(roomID)) { result in
            switch result {
            case .success, .failure(.refused), .failure(.connectionLost): done(.success(()))
            case .failure(let error): done(.failure(error))
            }
        }
        if wasAsked { sendNextJoin() }
    }

    public func isJoined(_ roomID: String) -> Bool { isConnected && rooms.isJoined(roomID) }

    func sendNextJoin() {
        guard isConnected, let roomID = rooms.takeNext() else { return }
        // Without an ack: the state would come twice, and a large one would be refused.
        emit("room:join", Self.argument(roomID))
        loop.arm(joinTimer, in: configuration.answerTimeout.wholeMilliseconds)
    }

    static func argument(_ roomID: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("roomId", roomID)
            json.endObject()
        }
        return bytes
    }

    private static let joinedKeys = JSONKeys("roomId", "self")
    private static let selfKeys = JSONKeys("userId")

    func joined(_ event: IncomingEvent, _ text: Span<UInt8>) {
        guard let fields = try? JSON.fields(Self.joinedKeys, of: text, range: event.arguments),
            let roomID = fields[0].string(in: text)
        else { return }
        let own = fields[1].kind == .object ? try? JSON.fields(Self.selfKeys, of: text, range: fields[1].range) : nil
        let wasAsked = rooms.asked == roomID
        if wasAsked { loop.cancel(joinTimer) }
        let ownID = own?[0].string(in: text)
        // After the event itself, so that code that waited for the join finds the state.
        loop.atTurnEnd { [self] in
            guard isConnected else { return }
            if rooms.joined(roomID, ownID: ownID) {
                if let view = views[roomID] { emit("view:set", view) }
                sendOperations()
            } else {
                // The join was cancelled before it was answered.
                emit("room:leave", Self.argument(roomID))
            }
            sendNextJoin()
        }
    }

    /// Whether an `error` is the answer to the join that is under way; then it is dealt with.
    func isRefusedJoin(_ event: IncomingEvent, _ text: Span<UInt8>) -> Bool {
        guard let (refusal, name) = EventArguments.error(text, event.arguments) else { return false }
        if refusal.code == "UNAUTHORIZED" { noteUnauthorized() }
        guard name == "room:join", let roomID = rooms.asked else { return false }
        // A room in which the client was is not given up because the server cannot say now who may join it.
        let isForNow = refusal.code == "SERVER_ERROR" && rooms.ownID(in: roomID) != nil
        if isForNow || refusal.code == "RATE_LIMITED" || refusal.code == "SHUTTING_DOWN" {
            // The timer of the join has it asked for again.
            loop.arm(joinTimer, in: Int64(min(max(refusal.retryAfterMilliseconds ?? 1_000, 50), 60_000)))
            return true
        }
        loop.cancel(joinTimer)
        giveUp(roomID, .refused(refusal))
        return true
    }

    func joinTimedOut() {
        rooms.putBack()
        sendNextJoin()
    }

    private func giveUp(_ roomID: String, _ error: ClientError) {
        let hadBeenThere = rooms.ownID(in: roomID) != nil
        operations.fail(error, room: roomID)
        rooms.remove(roomID, error)
        if hadBeenThere { handler?.session(self, lostRoom: roomID, error) }
        sendNextJoin()
    }

    /// The room is not this session's any more.
    func forget(_ roomID: String) {
        touches[roomID] = nil
        views[roomID] = nil
        paces[roomID] = nil
        operations.fail(.badArgument("the room \(roomID) has been left"), room: roomID)
        rooms.remove(roomID, .badArgument("the room \(roomID) has been left"))
    }
}
