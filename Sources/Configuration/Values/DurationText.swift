/// Durations as users write them: `500ms`, `25s`, `2m`, `1h`, in whole numbers of one unit.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let unit = units.first(where: { $0.name == text.dropFirst(digits.count) }), let number = Int(digits)
        else { return nil }
        let (milliseconds, overflows) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflows ? nil : .milliseconds(milliseconds)
    }

    /// In the largest unit that holds the duration exactly.
    package static func format(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        guard milliseconds != 0 else { return "0s" }
        for unit in units where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}

extension Duration {
    /// The duration in milliseconds, rounded down; settings have no finer unit.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
