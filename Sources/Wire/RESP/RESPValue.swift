/// A value of RESP2, the protocol of Redis.
package enum RESPValue: Sendable, Equatable {
    case simple(String)
    case error(String)
    case integer(Int64)
    /// Nil for Redis's null.
    case bulk([UInt8]?)
    /// Nil for Redis's null.
    case array([RESPValue]?)
}

/// Appends commands for Redis: arrays of bulk strings.
package enum RESPCommand {
    package static func append(_ words: [[UInt8]], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "*"))
        DecimalInteger.append(words.count, to: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
        for word in words {
            bytes.append(UInt8(ascii: "$"))
            DecimalInteger.append(word.count, to: &bytes)
            bytes.append(contentsOf: "\r\n".utf8)
            bytes.append(contentsOf: word)
            bytes.append(contentsOf: "\r\n".utf8)
        }
    }
}
