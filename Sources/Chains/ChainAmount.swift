import Wire

/// Amounts of a chain: whole numbers of up to 256 bits, of which people see so many decimals. They are exact.
enum ChainAmount {
    static let digitsMax = 64

    /// - Parameter hex: `0x` and up to 64 hexadecimal digits. Nil for other text.
    static func text(_ hex: String, decimals: Int) -> String? {
        let digits = hex.utf8.dropFirst(2).map { ASCII.hexValue($0) }
        guard hex.hasPrefix("0x"), (1...digitsMax).contains(digits.count) else { return nil }
        // Its decimal digits, the last one first.
        var number: [Int] = [0]
        for digit in digits {
            guard let digit else { return nil }
            var carry = Int(digit)
            for index in number.indices {
                carry += number[index] * 16
                number[index] = carry % 10
                carry /= 10
            }
            while carry > 0 {
                number.append(carry % 10)
                carry /= 10
            }
        }
        let missing = decimals + 1 - number.count
        if missing > 0 { number += Array(repeating: 0, count: missing) }
        let text = number.reversed().map(String.init)
        let (whole, rest) = (text.dropLast(decimals).joined(), text.suffix(decimals))
        let fraction = rest.reversed().drop { $0 == "0" }.reversed().joined()
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }
}
