import Transport
import Wire

/// A polling request and its answer: from a connection of this server, or from another node of its cluster.
protocol PollExchange: AnyObject {
    var contentType: String? { get }
    /// Called when the client has gone before the answer.
    var aborted: ((CloseReason) -> Void)? { get set }

    /// Counts the connection for its client while it waits. False when the client's address has reached its bound.
    func claimConnection() -> Bool
    /// Gathers the body, up to `max` bytes.
    func receiveContent(max: Int, _ done: @escaping (any PollExchange, [UInt8]) -> Void)
    func respond(_ status: Int, _ headers: [(String, String)], body: [UInt8])
}

extension PollExchange {
    /// Answers a poll.
    func answer(_ body: [UInt8], _ form: EnginePayload.Form) {
        respond(200, [("Content-Type", form.contentType.description), ("Cache-Control", "no-store")], body: body)
    }

    /// Answers a poll with a packet that has no content.
    func answer(_ type: EnginePacketType, _ version: EngineVersion) {
        var writer = EnginePayloadWriter(form: .ofResponse(version: version, base64Only: true, wantsFraming: false))
        var body: [UInt8] = []
        let nothing: [UInt8] = []
        writer.append(type, nothing.span, to: &body)
        answer(body, writer.form)
    }
}

extension HTTPExchange: PollExchange {
    var contentType: String? { head.headers.first(named: "Content-Type") }

    func receiveContent(max: Int, _ done: @escaping (any PollExchange, [UInt8]) -> Void) {
        receiveBody(max: max) { done($0, $1) }
    }
}
