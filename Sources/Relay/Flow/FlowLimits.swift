import Transport

/// How much may come in, in a second and (but for refusals) as much at once. 0 is without a limit.
///
/// What comes past a limit is refused and told so; touches up to it that come faster than a room ticks are merged.
public struct FlowLimits: Sendable {
    public var touchesPerSecondMax = 1_000
    /// Events other than touches; some count as several, see `ClientEvent.weight`.
    public var eventsPerSecondMax = 100
    /// Of all connections of one person.
    public var accountTouchesPerSecondMax = 4_000
    public var accountEventsPerSecondMax = 400
    /// Of all connections from one address, which whole offices share.
    public var addressTouchesPerSecondMax = 50_000
    public var addressEventsPerSecondMax = 5_000
    /// Sessions that one address may begin, and CONNECTs beyond their first.
    public var addressConnectsPerSecondMax = 200
    /// HTTP requests from one address, but those of sessions that there are. Past it: 429, and the connection ends.
    public var addressRequestsPerSecondMax = 1_000
    /// Refused events of a connection on the average; ten seconds' worth at once. Past it: the connection is closed.
    public var refusalsPerSecondMax = 100

    public init() {}

    public static var off: FlowLimits {
        var limits = FlowLimits()
        limits.touchesPerSecondMax = 0
        limits.eventsPerSecondMax = 0
        limits.accountTouchesPerSecondMax = 0
        limits.accountEventsPerSecondMax = 0
        limits.addressTouchesPerSecondMax = 0
        limits.addressEventsPerSecondMax = 0
        limits.addressConnectsPerSecondMax = 0
        limits.addressRequestsPerSecondMax = 0
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
    let addressConnects: Rate
    let addressRequests: Rate
    let refusals: Rate

    init(_ limits: FlowLimits) {
        touches = Rate(perSecond: limits.touchesPerSecondMax)
        events = Rate(perSecond: limits.eventsPerSecondMax)
        accountTouches = Rate(perSecond: limits.accountTouchesPerSecondMax)
        accountEvents = Rate(perSecond: limits.accountEventsPerSecondMax)
        addressTouches = Rate(perSecond: limits.addressTouchesPerSecondMax)
        addressEvents = Rate(perSecond: limits.addressEventsPerSecondMax)
        addressConnects = Rate(perSecond: limits.addressConnectsPerSecondMax)
        addressRequests = Rate(perSecond: limits.addressRequestsPerSecondMax)
        refusals = Rate(perSecond: limits.refusalsPerSecondMax, atOnce: 10 * limits.refusalsPerSecondMax)
    }

    var countsAccounts: Bool { !accountTouches.isOff || !accountEvents.isOff }
    var countsAddresses: Bool { !addressTouches.isOff || !addressEvents.isOff || !addressConnects.isOff }
}
