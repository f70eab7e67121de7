import RoomsClient
import Wire

/// Asks a Sentinel where the primary is. It belongs to the loop's thread.
final class PrimaryFinder: RedisConnectionOwner {
    enum Outcome {
        case primary(RedisServer)
        case failed(reason: String)
    }

    private let sentinel: RedisServer
    private let name: String
    private var connection: RedisConnection?
    private var found: ((Outcome) -> Void)?

    /// - Parameter found: called once, unless the finder is closed before.
    init(
        _ loop: ClientLoop, _ sentinel: RedisServer, name: String, _ trust: TLSTrust?,
        found: @escaping (Outcome) -> Void
    ) {
        self.sentinel = sentinel
        self.name = name
        self.found = found
        connection = RedisConnection(loop, sentinel, trust, owner: self)
    }

    var isOver: Bool { found == nil }

    func close() {
        found = nil
        connection?.close()
    }

    private func end(_ outcome: Outcome) {
        let found = found
        close()
        found?(outcome)
    }

    func connected(_ connection: RedisConnection) {
        connection.send("SENTINEL", "get-master-addr-by-name", name)
    }

    func answered(_ value: RESPValue, by connection: RedisConnection) {
        switch value {
        case .error(let words): end(.failed(reason: words))
        case .array(let place?):
            guard place.count == 2, case .bulk(let host?) = place[0], case .bulk(let port?) = place[1],
                let primary = sentinel.primary(
                    at: String(decoding: host, as: UTF8.self), String(decoding: port, as: UTF8.self))
            else { fallthrough }
            end(.primary(primary))
        default: end(.failed(reason: "\(sentinel.shown) knows no primary with this name"))
        }
    }

    func ended(_ connection: RedisConnection, _ reason: String) { end(.failed(reason: reason)) }
}
