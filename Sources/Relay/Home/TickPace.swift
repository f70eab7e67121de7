/// The time between two ticks of a room, chosen by the load of the loop. A longer time adds latency; a shorter one
/// costs more writes, one for each member and tick.
struct TickPace {
    /// The load to aim at. It leaves space for bursts.
    private static let targetLoad = 0.6

    private let bounds: ClosedRange<Int>
    private(set) var milliseconds: Double

    init(_ bounds: ClosedRange<Int>) {
        self.bounds = bounds
        milliseconds = Double(bounds.lowerBound)
    }

    /// Goes a step towards the interval at which the load would be right. It goes up faster, when the loop falls
    /// behind, than down.
    mutating func adapt(to load: Double) {
        let step = min(max(load / Self.targetLoad, 0.8), 1.5)
        milliseconds = min(max(milliseconds * step, Double(bounds.lowerBound)), Double(bounds.upperBound))
    }
}
