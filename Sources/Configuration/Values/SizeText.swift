/// Sizes as users write them: `16KiB`, `1MB`, `1000000`, in whole numbers of one unit.
package enum SizeText {
    private static let units: [(name: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000),
    ]

    /// The case of a unit does not matter; `K` and `M` alone are refused, since they mean two things.
    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits) else { return nil }
        let name = text.dropFirst(digits.count).lowercased()
        if name.isEmpty || name == "b" { return number }
        guard let unit = units.first(where: { $0.name.lowercased() == name }) else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit.bytes)
        return overflows ? nil : bytes
    }

    /// In the largest unit that holds the size exactly.
    static func format(_ bytes: Int) -> String {
        guard bytes != 0 else { return "0" }
        for unit in units where bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.name)"
        }
        return "\(bytes)"
    }
}
