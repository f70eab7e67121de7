import Accounts
import Identity
import Relay
import Rooms
import Sessions
import Store
import Transport
import Wire

/// The WebSocket of applications: people subscribe to channels, and get what happens to their own data.
struct ChannelInterface: AppInterface {
    let options: AppOptions

    var mount: Mount { [Interspace.prefix + "/ws"] }

    func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService { ChannelService(options, on: shard) }
}

/// The connections of one shard.
final class ChannelService: HTTPService {
    let accounts: Accounts
    unowned let shard: Shard
    private let origins: OriginPolicy
    private let rate: RequestRate
    private var connections: [UInt64: ChannelConnection] = [:]
    private var people = PeopleIndex()
    private var nextNumber: UInt64 = 0

    /// The shard keeps its service until it stops.
    init(_ options: AppOptions, on shard: Shard) {
        accounts = options.accounts
        origins = options.origins
        rate = RequestRate(perMinute: options.isLimited ? Interspace.requestsPerMinuteMax : 0)
        self.shard = shard
        shard.keep(self)
        shard.local(Relay.self)?.edge.others = self
    }

    // MARK: New connections

    func handle(_ exchange: HTTPExchange) {
        guard case .admitted(let readings) = exchange.admit([rate]) else { return }
        guard origins.allows(exchange) else {
            return refuse(exchange, .forbidden("Pages of this origin may not use this server."))
        }
        do throws(APIError) {
            for reading in readings { try reading.check() }
        } catch {
            return refuse(exchange, error)
        }
        switch exchange.head.webSocketUpgrade {
        case .notUpgrade: refuse(exchange, APIError(426, .validation, "This path is a WebSocket."))
        case .bad(let status, let reason): refuse(exchange, APIError(status, .validation, reason))
        case .upgrade(let offer): open(exchange, offer)
        }
    }

    private func open(_ exchange: HTTPExchange, _ offer: HTTPRequestHead.WebSocketOffer) {
        guard exchange.claimConnection() else {
            return refuse(exchange, .unavailable("The address has too many connections."))
        }
        let head = exchange.head
        let query = ["token", "access_token", "accessToken"].lazy.compactMap { head.queryValue($0) }.first
        let token = TokenSource.find(authorization: head.headers.first(named: "Authorization"), query: query)
        let connection = ChannelConnection(self, number: nextNumber)
        guard let webSocket = exchange.upgrade(offer, handler: connection) else { return }
        connections[nextNumber] = connection
        nextNumber += 1
        connection.begin(webSocket, token)
    }

    private func refuse(_ exchange: HTTPExchange, _ error: APIError) {
        let reply = Interspace.encode(error)
        let upgrade = error.status == 426 ? [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")] : []
        exchange.respond(
            reply.status, reply.headers + upgrade + [("Content-Type", "application/json")], body: reply.body)
    }

    // MARK: Connections

    /// Verifies a token on another thread. The connection gets the answer unless it has ended.
    func check(_ token: String, for connection: ChannelConnection) {
        let (accounts, now, number) = (accounts, shard.unixSeconds, connection.number)
        let mailbox = shard.mailboxes[shard.index]
        Task.detached {
            let result: Result<SignedIn, APIError>
            do throws(AccountFault) {
                result = .success(try await accounts.authenticate(token, now: now))
            } catch {
                result = .failure(Interspace.error(error))
            }
            mailbox.insist(ChannelStep(connection: number, result: result))
        }
    }

    fileprivate func checked(_ step: ChannelStep) { connections[step.connection]?.checked(step.result) }

    func signedIn(_ connection: ChannelConnection, _ person: String) { people.add(connection.number, of: person) }

    func ended(_ connection: ChannelConnection, _ person: String?) {
        connections[connection.number] = nil
        if let person { people.remove(connection.number, of: person) }
    }
}

extension ChannelService: PersonalConnections {
    func tell(_ event: PersonalEvent) {
        let numbers = people[event.person]
        guard !numbers.isEmpty, let (channel, type) = Channel.place(of: event) else { return }
        // All get the same bytes.
        let bytes = ChannelAnswer.event(event, channel, type)
        for number in numbers {
            if let connection = connections[number], connection.channels.contains(channel) { connection.send(bytes) }
        }
    }

    func end(_ whose: ConnectionsOf) -> Int {
        for connection in connections.values where connection.isChecking { connection.checksAgain = true }
        let found = people[whose.person].compactMap { connections[$0] }.filter { connection in
            connection.sender.map { whose.contains($0.person.id, session: $0.session.id) } ?? false
        }
        for connection in found { connection.close(4_001, "the session has ended") }
        return found.count
    }
}

/// The answer to a token of a connection.
private struct ChannelStep: ShardItem {
    let connection: UInt64
    let result: Result<SignedIn, APIError>

    func arrive(on shard: Shard) { shard.local(ChannelService.self)?.checked(self) }
}
