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

extension HTTPExchange: PollExchange {
    var contentType: String? { head.headers.first(named: "Content-Type") }

    func receiveContent(max: Int, _ done: @escaping (any PollExchange, [UInt8]) -> Void) {
        receiveBody(max: max) { done($0, $1) }
    }
}
