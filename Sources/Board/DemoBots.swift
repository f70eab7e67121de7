import RoomsBots
import RoomsClient
import Sessions
import Threads
import Transport
import Wire

/// `/board/bots` of a demo server: users of the board invite bots to their room, and send them away.
///
///     POST   {"roomId": "lobby", "count": 2, "x": 0, "y": 0, "width": 900, "height": 600}   201 {"data": {"coming": 2}}
///     DELETE ?roomId=lobby                                                                 204
package final class DemoBots: HTTPService, Sendable {
    package static let mount: Mount = ["/board/bots"]
    private static let bodyBytesMax = 4_096
    private static let roomIDBytesMax = 512

    private let origins: OriginPolicy
    /// Nil until the server listens.
    private let guests = Locked<Guests?>(nil)
    /// One rate for the whole server, so that no client can make bots come and go all the time.
    private let rate = Rate(perSecond: 1, atOnce: 10)
    private let pace = Locked(Pace())

    package init(origins: OriginPolicy) {
        self.origins = origins
    }

    /// Bots connect to the same addresses as other clients.
    package func open(_ addresses: [ListenAddress], path: String) throws(ClientError) {
        guard let url = Self.url(addresses, path) else { return }
        let made = try Guests(url)
        guests.withLock { $0 = made }
    }

    package func stop() {
        let guests = guests.withLock { $0.take() }
        guests?.stop()
    }

    /// Nil when the server listens on Unix sockets only.
    static func url(_ addresses: [ListenAddress], _ path: String) -> String? {
        for case .tcp(let address, let port) in addresses {
            let host =
                switch address {
                case .v4(0): "127.0.0.1"
                case .v6 where address.description == "::": "[::1]"
                default: address.isIPv6 ? "[\(address)]" : "\(address)"
                }
            return "http://\(host):\(port)\(path)"
        }
        return nil
    }

    // MARK: Requests

    package func handle(_ exchange: HTTPExchange) {
        guard origins.allows(exchange) else {
            return refuse(exchange, 403, "FORBIDDEN", "Pages of this origin may not invite bots.")
        }
        switch exchange.head.method {
        case .post: receive(exchange)
        case .delete: sendAway(exchange)
        default: exchange.respond(405, [("Allow", "POST, DELETE")], text: "Method not allowed\n")
        }
    }

    private func receive(_ exchange: HTTPExchange) {
        // A page of another origin may send this type only after a preflight request, which is refused.
        let type = exchange.head.headers.first(named: "Content-Type")?.prefix { $0 != ";" }.lowercased()
        guard type == "application/json" else {
            return refuse(exchange, 415, "VALIDATION_ERROR", "The body must be JSON.")
        }
        exchange.receiveBody(max: Self.bodyBytesMax) { [self] exchange, body in
            guard let wish = Wish(body), wish.roomID.utf8.count <= Self.roomIDBytesMax else {
                return refuse(exchange, 422, "VALIDATION_ERROR", "roomId is missing or too long.")
            }
            invite(wish, exchange)
        }
    }

    private func invite(_ wish: Wish, _ exchange: HTTPExchange) {
        guard let guests = guests.withLock({ $0 }), let shard = exchange.shard else {
            return refuse(exchange, 503, "SHUTTING_DOWN", "The server is stopping and sends no bots.", retryAfter: 5)
        }
        let now = Int64(shard.now)
        let wait = pace.withLock { $0.take(rate, nowMilliseconds: now) }
        guard wait == 0 else {
            return refuse(
                exchange, 429, "RATE_LIMITED", "Too many bots were invited just now.", retryAfter: wait / 1_000 + 1)
        }
        switch guests.invite(wish.count, to: wish.roomID, wish.area) {
        case .success(let coming): accept(exchange, coming)
        case .failure(.roomIsFull): refuse(exchange, 409, "ROOM_FULL", "This room cannot take more bots.")
        case .failure(.serverIsFull):
            refuse(exchange, 429, "RATE_LIMITED", "All bots of this server are in other rooms.", retryAfter: 60)
        }
    }

    private func sendAway(_ exchange: HTTPExchange) {
        guard let room = exchange.head.queryItems.first(where: { $0.name == "roomId" })?.value else {
            return refuse(exchange, 422, "VALIDATION_ERROR", "roomId is missing.")
        }
        guests.withLock { $0 }?.sendAway(from: room)
        exchange.respond(204)
    }

    // MARK: Answers

    private func accept(_ exchange: HTTPExchange, _ coming: Int) {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.key("data")
            json.beginObject()
            json.member("coming", coming)
            json.endObject()
            json.endObject()
        }
        exchange.respond(201, [("Content-Type", "application/json")], body: body)
    }

    private func refuse(
        _ exchange: HTTPExchange, _ status: Int, _ code: String, _ sentence: String, retryAfter: Int? = nil
    ) {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.member("error", sentence)
            json.member("code", code)
            json.endObject()
        }
        let wait = retryAfter.map { [("Retry-After", "\($0)")] } ?? []
        exchange.respond(status, [("Content-Type", "application/json")] + wait, body: body)
    }
}

/// The content of an invitation.
private struct Wish {
    let roomID: String
    let count: Int
    let area: GuestArea

    private static let keys = JSONKeys("roomId", "count", "x", "y", "width", "height")

    init?(_ body: [UInt8]) {
        let text = body.span
        guard let fields = try? JSON.fields(Self.keys, of: text), let roomID = fields[0].string(in: text),
            !roomID.isEmpty
        else { return nil }
        self.roomID = roomID
        count = fields[1].int(in: text) ?? 1
        area = GuestArea(
            x: fields[2].double(in: text) ?? 0, y: fields[3].double(in: text) ?? 0,
            width: fields[4].double(in: text) ?? 800, height: fields[5].double(in: text) ?? 500)
    }
}
