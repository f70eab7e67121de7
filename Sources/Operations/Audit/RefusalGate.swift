import Transport

/// Decides which refused tokens get a line of the log. One address gets one line in a minute, and all together sixty: who
/// tries tokens must not fill the log. What got no line is counted in the next one.
struct RefusalGate: Sendable {
    static let millisecondsEach: Int64 = 60_000
    static let linesMax = 60

    /// What a line is about.
    struct Line: Equatable {
        /// Refusals of its address.
        var own: Int
        /// Those of other addresses that got no line.
        var others: Int
    }

    /// At most 120: each has got a line in this minute or in the one before.
    private var lately: [String: (at: Int64, untold: Int)] = [:]
    private var minute: Int64?
    private var lines = 0
    /// Of all addresses that are not remembered.
    private var untold = 0

    /// - Returns: nil for no line.
    mutating func refused(_ address: String, at now: Int64) -> Line? {
        if minute.map({ now < $0 || now - $0 >= Self.millisecondsEach }) ?? true {
            (minute, lines) = (now, 0)
            for (other, known) in lately where other != address {
                guard now < known.at || now - known.at >= Self.millisecondsEach else { continue }
                untold += known.untold
                lately[other] = nil
            }
        }
        let known = lately[address]
        if let known, now >= known.at, now - known.at < Self.millisecondsEach {
            lately[address] = (known.at, known.untold + 1)
            return nil
        }
        guard lines < Self.linesMax else {
            untold += 1
            return nil
        }
        lines += 1
        lately[address] = (now, 0)
        defer { untold = 0 }
        return Line(own: 1 + (known?.untold ?? 0), others: untold)
    }
}
