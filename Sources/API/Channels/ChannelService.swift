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

    var prefix: String { Interspace.prefix }
    var mount: Mount { [Interspace.prefix + "/ws"] }
    var meters: [any Meters] { [] }

    /// The shards share both: two rates would be two limits.
    private let rate: RequestRate
    private let anonymous = AddressCounts(most: ChannelService.anonymousOfNetworkMax)

    init(options: AppOptions) {
        self.options = options
        rate = RequestRate(perMinute: options.isLimited ? Interspace.requestsPerMinuteMax : 0)
    }

    func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService {
        ChannelService(options, rate, anonymous, on: shard)
    }
}

/// The bound against which a connection counts, until it is a person's or ends.
enum ChannelPlace {
    /// The token of its request is being checked, which takes a moment.
    case checking
    /// It has shown no token, and may not show one for long. Its network is nil if that is not counted.
    case anonymous(network: IPAddress?)
    case none
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
    private var isDraining = false
    private var checkingCount = 0
    private var anonymousCount = 0
    /// Connections without a token, by the network that they come from.
    private let anonymous: AddressCounts
    /// Connections of one person on this shard: each news is written to all of them.
    private static let ofPersonMax = 10_000
    private static let anonymousMax = 1_000
    private static let checkingMax = 1_000
    /// Connections without a token from one network, on all shards: a client that is honest needs its place for a moment.
    static let anonymousOfNetworkMax = 32

    /// The shard keeps its service until it stops, and has a relay already.
    init(_ options: AppOptions, _ rate: RequestRate, _ anonymous: AddressCounts, on shard: Shard) {
        guard let relay = shard.local(Relay.self) else { preconditionFailure("the relay of a shard comes first") }
        accounts = options.accounts
        origins = options.origins
        self.rate = rate
        self.anonymous = anonymous
        self.shard = shard
        shard.keep(self)
        relay.edge.otherConnections = self
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
        let head = exchange.head
        let query = ["token", "access_token", "accessToken"].lazy.compactMap { head.queryValue($0) }.first
        let token = TokenSource.find(authorization: head.headers.first(named: "Authorization"), query: query)
        guard !isDraining else {
            return refuse(exchange, .unavailable("The server takes no more connections; try again in a moment."))
        }
        guard exchange.claimConnection() else {
            return refuse(exchange, .unavailable("The address has too many connections."))
        }
        guard let place = takePlace(of: exchange.peer, hasToken: token != nil) else {
            return refuse(exchange, .unavailable("The server takes no more connections; try again in a moment."))
        }
        let connection = ChannelConnection(self, number: nextNumber, place)
        guard let webSocket = exchange.upgrade(offer, handler: connection) else { return leave(place) }
        connections[nextNumber] = connection
        nextNumber += 1
        connection.begin(webSocket, token)
    }

    // MARK: Places

    /// A place for a new connection; nil past a bound. A connection with a token takes none of the places of those without one:
    /// strangers who hold these keep no person out.
    private func takePlace(of peer: PeerAddress, hasToken: Bool) -> ChannelPlace? {
        if hasToken {
            guard checkingCount < Self.checkingMax else { return nil }
            checkingCount += 1
            return .checking
        }
        let network = shard.server.countedAddress(of: peer)?.network().base
        guard anonymousCount < Self.anonymousMax, anonymous.add(network) else { return nil }
        anonymousCount += 1
        return .anonymous(network: network)
    }

    private func leave(_ place: ChannelPlace) {
        switch place {
        case .checking: checkingCount -= 1
        case .anonymous(let network):
            anonymousCount -= 1
            anonymous.remove(network)
        case .none: break
        }
    }

    /// The connection is a person's, or about to end.
    func leavePlace(_ connection: ChannelConnection) {
        leave(connection.place)
        connection.place = .none
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
            mailbox.insist(TokenAnswer(connection: number, result: result))
        }
    }

    fileprivate func checked(_ answer: TokenAnswer) { connections[answer.connection]?.checked(answer.result) }

    /// A connection belongs to a person from now on. Answers false when the person has too many.
    func belongs(_ connection: ChannelConnection, to person: String) -> Bool {
        guard people[person].count < Self.ofPersonMax else { return false }
        people.add(connection.number, of: person)
        leavePlace(connection)
        return true
    }

    func forget(_ connection: ChannelConnection) {
        connections[connection.number] = nil
        if let person = connection.sender?.person.id { people.remove(connection.number, of: person) }
        leavePlace(connection)
    }

    /// Connections that the server does not wait for are closed with it.
    func shardStopping() {
        for connection in Array(connections.values) { connection.close(1_001, "the server stops") }
    }
}

extension ChannelService: PersonalConnections {
    func tell(_ event: PersonalEvent) {
        let numbers = people[event.person]
        guard !numbers.isEmpty, let (channel, type) = Channel.named(event) else { return }
        // All get the same bytes.
        let bytes = ChannelAnswer.event(event, channel, type)
        for number in numbers {
            if let connection = connections[number], connection.channels.contains(channel) { connection.send(bytes) }
        }
    }

    func end(_ whose: ConnectionsOf) -> Int {
        for connection in connections.values where connection.isChecking { connection.ended(whose) }
        let found = people[whose.person].compactMap { connections[$0] }.filter { connection in
            connection.sender.map { whose.contains($0.person.id, session: $0.session.id) } ?? false
        }
        let reason = whose.session == nil ? "disconnected by the server" : "the session has ended"
        for connection in found { connection.close(4_001, reason) }
        return found.count
    }

    func end(ofPeers isMeant: (PeerAddress) -> Bool) -> Int {
        let found = connections.values.filter { $0.peer.map(isMeant) ?? false }
        for connection in found { connection.close(4_001, "disconnected by the server") }
        return found.count
    }

    /// Whether an operator has banned a person.
    func isBanned(_ person: String) -> Bool {
        shard.local(Relay.self)?.bans.end(ofPerson: person, at: shard.unixSeconds) != nil
    }

    /// Each connection goes on until a random time, so that not all clients come back at once.
    func drain(over milliseconds: Int) {
        isDraining = true
        for connection in connections.values { connection.closeLater(in: .random(in: 0...max(milliseconds, 1))) }
    }

    func takeBack() { isDraining = false }
}

/// The answer to a token of a connection.
private struct TokenAnswer: ShardItem {
    let connection: UInt64
    let result: Result<SignedIn, APIError>

    func arrive(on shard: Shard) { shard.local(ChannelService.self)?.checked(self) }
}
