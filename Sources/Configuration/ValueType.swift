/// How a value of a setting is read from text and written back.
///
/// What `format` writes, `parse` reads to the same value.
struct ValueType<Value: Sendable>: Sendable {
    /// What stands for the value in help, such as `DURATION`.
    let placeholder: String
    /// What is allowed, for people: `100ms to 1h`. Empty when the placeholder says it all.
    let bounds: String
    /// The bounds of a quantity as numbers.
    let quantity: Quantity?
    let parse: @Sendable (String) -> Result<Value, ValueFault>
    let format: @Sendable (Value) -> String

    init(
        _ placeholder: String, bounds: String = "", quantity: Quantity? = nil,
        format: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) -> Result<Value, ValueFault>
    ) {
        self.placeholder = placeholder
        self.bounds = bounds
        self.quantity = quantity
        self.parse = parse
        self.format = format
    }
}

/// The least and the most of a quantity, in its base unit.
struct Quantity: Equatable, Sendable {
    enum Unit: Sendable {
        case count, milliseconds, bytes
    }

    let unit: Unit
    let range: ClosedRange<Int>
}

// MARK: Quantities

extension ValueType where Value == Int {
    static func count(_ range: ClosedRange<Int>) -> ValueType {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        return ValueType("N", bounds: bounds, quantity: Quantity(unit: .count, range: range), format: { "\($0)" }) {
            let right = "Right is a whole number from \(bounds)"
            guard let number = decimal($0) else { return .failure(ValueFault("is no whole number", right: right)) }
            return bounded(number, by: range, right: right) { "\($0)" }
        }
    }

    static func size(_ range: ClosedRange<Int>) -> ValueType {
        let bounds = "\(SizeText.format(range.lowerBound)) to \(SizeText.format(range.upperBound))"
        return ValueType(
            "SIZE", bounds: bounds, quantity: Quantity(unit: .bytes, range: range), format: SizeText.format
        ) {
            let right = "Right is a size from \(bounds), written like 16KiB, 1MB or 1000000"
            guard let number = SizeText.parse($0) else { return .failure(ValueFault("is no size", right: right)) }
            return bounded(number, by: range, right: right, SizeText.format)
        }
    }

    /// `Int.init` alone would also take a sign.
    private static func decimal(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}

extension ValueType where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> ValueType {
        let bounds = "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        let milliseconds = range.lowerBound.wholeMilliseconds...range.upperBound.wholeMilliseconds
        let quantity = Quantity(unit: .milliseconds, range: milliseconds)
        return ValueType("DURATION", bounds: bounds, quantity: quantity, format: DurationText.format) {
            let right = "Right is a duration from \(bounds), in whole numbers of ms, s, m or h, like 500ms or 25s"
            guard let duration = DurationText.parse($0) else {
                return .failure(ValueFault("is no duration", right: right))
            }
            return bounded(duration, by: range, right: right, DurationText.format)
        }
    }
}

private func bounded<Value: Comparable>(
    _ value: Value, by range: ClosedRange<Value>, right: String, _ format: (Value) -> String
) -> Result<Value, ValueFault> {
    if value < range.lowerBound {
        return .failure(ValueFault("is below the least, \(format(range.lowerBound))", right: right))
    }
    if value > range.upperBound {
        return .failure(ValueFault("is above the most, \(format(range.upperBound))", right: right))
    }
    return .success(value)
}

// MARK: Words

extension ValueType where Value == Bool {
    static var flag: ValueType {
        ValueType("on|off", format: { $0 ? "on" : "off" }) {
            guard let value = Self.word($0) else {
                return .failure(ValueFault("is neither on nor off", right: "Right is on or off"))
            }
            return .success(value)
        }
    }

    /// The words that are understood for on and off; an option without a value looks whether one follows it.
    static func word(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "on", "true", "yes", "1": true
        case "off", "false", "no", "0": false
        default: nil
        }
    }
}

extension ValueType where Value: RawRepresentable<String> & CaseIterable {
    static var choice: ValueType {
        let words = Value.allCases.map(\.rawValue)
        return ValueType(words.joined(separator: "|"), format: { $0.rawValue }) { text in
            if let value = Value(rawValue: text) { return .success(value) }
            let nearest = NearestName.of(text, in: words).map { "Did you mean \($0)? " } ?? ""
            let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
            return .failure(ValueFault("is not known", right: "\(nearest)Right is \(list)"))
        }
    }
}
