/// What can stand as a value beside a log message.
///
/// Numbers and booleans stay such in JSON; everything else becomes a string and is escaped there.
package protocol LogValue: Sendable {
    var logScalar: LogScalar { get }
}

package enum LogScalar: Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
}

extension String: LogValue {
    package var logScalar: LogScalar { .string(self) }
}

extension Substring: LogValue {
    package var logScalar: LogScalar { .string(String(self)) }
}

extension StaticString: LogValue {
    package var logScalar: LogScalar { .string(description) }
}

extension Bool: LogValue {
    package var logScalar: LogScalar { .boolean(self) }
}

extension Double: LogValue {
    package var logScalar: LogScalar { isFinite ? .number(self) : .string(description) }
}

extension LogValue where Self: BinaryInteger {
    package var logScalar: LogScalar { Int64(exactly: self).map { .integer($0) } ?? .string("\(self)") }
}

extension Int: LogValue {}
extension Int32: LogValue {}
extension Int64: LogValue {}
extension UInt8: LogValue {}
extension UInt16: LogValue {}
extension UInt32: LogValue {}
extension UInt64: LogValue {}
extension UInt: LogValue {}
