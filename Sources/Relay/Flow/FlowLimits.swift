import Transport

/// The limits on input: the rate per second, and (except for refusals) as much at once. 0 means no limit.
///
/// Input past a limit is refused with an error. Touches within the limit that come faster than a room ticks are merged.
package struct FlowLimits: Sendable {
    package var touchesPerSecondMax = 1_000
    /// Events other than touches; some count as several, see `ClientEvent.weight`.
    package var eventsPerSecondMax = 100
    /// For all connections of one user.
    package var accountTouchesPerSecondMax = 4_000
    package var accountEventsPerSecondMax = 400
    /// For all connections from one address, which a whole office may share.
    package var addressTouchesPerSecondMax = 50_000
    package var addressEventsPerSecondMax = 5_000
    /// Bytes of states of rooms that the joins of one user may cause; ten seconds' worth at once. All rooms of a device
    /// that comes back fit into that. A client that joins again and again gets no more than a slow line carries.
    package var accountJoinBytesPerSecondMax = 5_000_000
    /// The same for one address. Ten seconds' worth are 200 KB for each of 5,000 clients that come back from one office.
    package var addressJoinBytesPerSecondMax = 100_000_000
    /// Sessions that one address may begin, and CONNECTs after the first of a session.
    package var addressConnectsPerSecondMax = 200
    /// Refused events of a connection on average; ten seconds' worth at once. Past it: the connection is closed.
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

/// The same limits as rates.
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

    /// A rate cannot count single bytes: their share of a second would be too short.
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

    /// After this time without input all rates of an account or an address are back at zero.
    var restMilliseconds: Int64 {
        accountJoins.isOff && addressJoins.isOff ? 1_000 : Int64(1_000 * Self.joinSecondsAtOnce)
    }
}
