/// The load of a loop: the part of the time in which it did not wait for events.
struct LoadMeter {
    private static let windowNanoseconds: UInt64 = 50_000_000

    private var windowBegan: UInt64
    /// When the turn began, or, between two turns, when the last one ended.
    private(set) var woke: UInt64
    private var busyNanoseconds: UInt64 = 0

    init(now: UInt64) {
        windowBegan = now
        woke = now
    }

    mutating func wakes(at now: UInt64) {
        woke = now
    }

    /// The duration of the turn that ends now.
    func turnNanoseconds(at now: UInt64) -> Int { Int(now - woke) }

    /// A turn has ended. Returns the load, 0 to 1, when a window ends with it.
    mutating func sleeps(at now: UInt64) -> Double? {
        busyNanoseconds += now - woke
        woke = now
        let elapsed = now - windowBegan
        guard elapsed >= Self.windowNanoseconds else { return nil }
        defer {
            windowBegan = now
            busyNanoseconds = 0
        }
        return Double(busyNanoseconds) / Double(elapsed)
    }
}
