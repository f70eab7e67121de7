import Transport

/// How much may come in, in a second and (but for refusals) as much at once. 0 is without a limit.
///
/// What comes past a limit is refused and told so; touches up to it that come faster than a room ticks are merged.
package struct FlowLimits: Sendable {
    package var touchesPerSecondMax = 1_000
    /// Events other than touches; some count as several, see `ClientEvent.weight`.
    package var eventsPerSecondMax = 100
    /// Of all connections of one person.
    package var accountTouchesPerSecondMax = 4_000
    package var accountEventsPerSecondMax = 400
    /// Of all connections from one address, which whole offices share.
    package var addressTouchesPerSecondMax = 50_000
    package var addressEventsPerSecondMax = 5_000
    /// Bytes of rooms' states that the joins of one person are answered with; ten seconds' worth at once. All rooms of a
    /// device that comes back fit into that, and whoever joins again and again gets no more than a slow line carries.
    package var accountJoinBytesPerSecondMax = 5_000_000
    /// The same for one address. Ten seconds' worth are 200 KB for each of 5,000 clients that come back from one office.
    package var addressJoinBytesPerSecondMax = 100_000_000
    /// Sessions that one address may begin, and CONNECTs beyond their first.
    package var addressConnectsPerSecondMax = 200
    /// Refused events of a connection on the average; ten seconds' worth at once. Past it: the connection is closed.
    package var refusalsPerSecondMax = 100

    package init() {}

    package static var off: FlowLimits {
        var limits = FlowLimits()
        limits.touchesPerSecondMax = 0
        limits.eventsPerSecondMax = 0
        limits.accountTouchesPerSecondMax = 0
        limits.accountEventsPerSecondMax = 0
        limits.addressTouchesPerSecondMax = 0
        limits.addressEventsPerSecondMax = 0
        limits.accountJoinBytesPerSecondMax = 0
        limits.addressJoinBytesPerSecondMax = 0
        limits.addressConnectsPerSecondMax = 0
        limits.refusalsPerSecondMax = 0
        return limits
    }
}

/// The same limits as what is counted with.
struct FlowRates: Sendable {
    let touches: Rate
    let events: Rate
    let accountTouches: Rate
    let accountEvents: Rate
    let addressTouches: Rate
    let addressEvents: Rate
    /// These two count units of `joinUnitBytes`.
    let accountJoins: Rate
    let addressJoins: Rate
    let addressConnects: Rate
    let refusals: Rate

    /// A byte's share of a second would be too short to be counted with.
    static let joinUnitBytes = 1_024
    private static let joinSecondsAtOnce = 10

    init(_ limits: FlowLimits) {
        touches = Rate(perSecond: limits.touchesPerSecondMax)
        events = Rate(perSecond: limits.eventsPerSecondMax)
        accountTouches = Rate(perSecond: limits.accountTouchesPerSecondMax)
        accountEvents = Rate(perSecond: limits.accountEventsPerSecondMax)
        addressTouches = Rate(perSecond: limits.addressTouchesPerSecondMax)
        addressEvents = Rate(perSecond: limits.addressEventsPerSecondMax)
        accountJoins = Self.joins(bytesPerSecond: limits.accountJoinBytesPerSecondMax)
        addressJoins = Self.joins(bytesPerSecond: limits.addressJoinBytesPerSecondMax)
        addressConnects = Rate(perSecond: limits.addressConnectsPerSecondMax)
        refusals = Rate(perSecond: limits.refusalsPerSecondMax, atOnce: 10 * limits.refusalsPerSecondMax)
    }

    private static func joins(bytesPerSecond: Int) -> Rate {
        guard bytesPerSecond > 0 else { return Rate(perSecond: 0) }
        let units = max(bytesPerSecond / joinUnitBytes, 1)
        return Rate(perSecond: units, atOnce: joinSecondsAtOnce * units)
    }

    var countsAccounts: Bool { !accountTouches.isOff || !accountEvents.isOff || !accountJoins.isOff }
    var countsAddresses: Bool {
        !addressTouches.isOff || !addressEvents.isOff || !addressJoins.isOff || !addressConnects.isOff
    }

    /// After that time all that was taken of an account's or an address's rates is worked off.
    var restMilliseconds: Int64 {
        accountJoins.isOff && addressJoins.isOff ? 1_000 : Int64(1_000 * Self.joinSecondsAtOnce)
    }
}
