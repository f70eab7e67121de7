import Rooms
import Sessions
import Transport
import Wire

/// The limits on input over all shards, and the counts of accounts and addresses.
final class FlowControl: Sendable {
    let rates: FlowRates
    let accounts: SenderPaceTable<ExactText>
    let addresses: SenderPaceTable<IPAddress>

    init(_ limits: FlowLimits) {
        rates = FlowRates(limits)
        accounts = SenderPaceTable(restMilliseconds: rates.restMilliseconds)
        addresses = SenderPaceTable(restMilliseconds: rates.restMilliseconds)
    }

    /// Counts a session that a peer begins. Returns how many milliseconds it has to wait; 0 when it may begin now.
    func beginSession(_ peer: PeerAddress, on loop: any RelayLoop) -> Int {
        withAddress(of: peer, rates.addressConnects, on: loop) {
            $0.sessions.take(rates.addressConnects, nowMilliseconds: loop.now)
        }
    }

    /// Counts a CONNECT that did not begin a session.
    func connectAgain(_ peer: PeerAddress, on loop: any RelayLoop) -> Int {
        withAddress(of: peer, rates.addressConnects, on: loop) {
            $0.connects.take(rates.addressConnects, nowMilliseconds: loop.now)
        }
    }

    private func withAddress(of peer: PeerAddress, _ rate: Rate, on loop: any RelayLoop, _ take: (SenderPaces) -> Int)
        -> Int
    {
        guard !rate.isOff, let address = loop.countedAddress(of: peer) else { return 0 }
        let wait = take(addresses.fetch(address, now: loop.now))
        addresses.giveBack(address, now: loop.now)
        return wait
    }
}

/// The input of one connection, counted against its own limits and those that it shares.
struct ClientFlow {
    /// The limit that an event exceeds.
    enum Scope: String {
        case connection, account, address

        /// The `details` of a refusal.
        func details(wait milliseconds: Int) -> [UInt8] {
            Array("{\"retryAfter\":\(milliseconds),\"scope\":\"\(rawValue)\"}".utf8)
        }
    }

    /// The consequence of one more refused event.
    enum Consequence: Equatable {
        case none
        /// The client is told that so many more refusals end the connection.
        case warning(closesAfter: Int)
        case close
    }

    private let control: FlowControl
    private let account: ExactText
    private let address: IPAddress?
    private let accountPaces: SenderPaces?
    private let addressPaces: SenderPaces?
    private var touches = Pace()
    private var events = Pace()
    private var refusals = Pace()
    private var isWarned = false

    init(_ control: FlowControl, account: String, peer: PeerAddress, on loop: any RelayLoop) {
        self.control = control
        self.account = ExactText(account)
        address = control.rates.countsAddresses ? loop.countedAddress(of: peer) : nil
        accountPaces = control.rates.countsAccounts ? control.accounts.fetch(self.account, now: loop.now) : nil
        addressPaces = address.map { control.addresses.fetch($0, now: loop.now) }
    }

    /// The budget for states of rooms that are sent to the connection.
    var joins: JoinBudget { JoinBudget(rates: control.rates, account: accountPaces, address: addressPaces) }

    /// Call it once, at the end of the connection.
    func end(now: Int64) {
        if accountPaces != nil { control.accounts.giveBack(account, now: now) }
        if let address { control.addresses.giveBack(address, now: now) }
    }

    /// Admits a touch, or returns how long to wait and the limit.
    @inline(__always)
    mutating func takeTouch(now: Int64) -> (wait: Int, scope: Scope)? {
        let rates = control.rates
        let own = touches.take(rates.touches, nowMilliseconds: now)
        if own > 0 { return (own, .connection) }
        let account = accountPaces?.touches.take(rates.accountTouches, nowMilliseconds: now) ?? 0
        if account > 0 { return (account, .account) }
        let address = addressPaces?.touches.take(rates.addressTouches, nowMilliseconds: now) ?? 0
        return address > 0 ? (address, .address) : nil
    }

    /// The same for another event, which may count as several.
    mutating func takeEvent(weight: Int, now: Int64) -> (wait: Int, scope: Scope)? {
        let rates = control.rates
        let own = events.take(rates.events, weight, nowMilliseconds: now)
        if own > 0 { return (own, .connection) }
        let account = accountPaces?.events.take(rates.accountEvents, weight, nowMilliseconds: now) ?? 0
        if account > 0 { return (account, .account) }
        let address = addressPaces?.events.take(rates.addressEvents, weight, nowMilliseconds: now) ?? 0
        return address > 0 ? (address, .address) : nil
    }

    /// Counts a refused event, whatever the reason.
    mutating func countRefusal(now: Int64) -> Consequence {
        let rate = control.rates.refusals
        guard !rate.isOff else { return .none }
        guard refusals.take(rate, nowMilliseconds: now) == 0 else { return .close }
        let level = refusals.level(rate, nowMilliseconds: now)
        if level < rate.atOnceMax / 4 { isWarned = false }
        guard level >= rate.atOnceMax / 2, !isWarned else { return .none }
        isWarned = true
        return .warning(closesAfter: rate.atOnceMax - level + 1)
    }
}
