/// What can stand as a value beside a log message.
///
/// Numbers and booleans stay such in JSON; everything else becomes a string and is escaped there.
public protocol LogValue: Sendable {
    var logScalar: LogScalar { get }
}

public enum LogScalar: Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
}

extension String: LogValue {
    public var logScalar: LogScalar { .string(self) }
}

extension Substring: LogValue {
    public var logScalar: LogScalar { .string(String(self)) }
}

extension StaticString: LogValue {
    public var logScalar: LogScalar { .string(description) }
}

extension Bool: LogValue {
    public var logScalar: LogScalar { .boolean(self) }
}

extension Double: LogValue {
    public var logScalar: LogScalar { isFinite ? .number(self) : .string(description) }
}

extension LogValue where Self: BinaryInteger {
    public var logScalar: LogScalar { Int64(exactly: self).map { .integer($0) } ?? .string("\(self)") }
}

extension Int: LogValue {}
extension Int32: LogValue {}
extension Int64: LogValue {}
extension UInt8: LogValue {}
extension UInt16: LogValue {}
extension UInt32: LogValue {}
extension UInt64: LogValue {}
extension UInt: LogValue {}

extension Duration: LogValue {
    /// Written as in the configuration: `500ms`, `25s`.
    public var logScalar: LogScalar { .string(DurationText.format(self)) }
}

extension Secret: LogValue {
    public var logScalar: LogScalar { .string(description) }
}
