import Wire

/// One event of a recording: `[milliseconds,"name",argument]`, and a line feed.
package struct RecordingLine: Equatable, Sendable {
    /// Milliseconds since the recording began.
    package let time: Int64
    package let name: String
    /// The event's argument: JSON.
    package let argument: [UInt8]

    package init(time: Int64, name: String, argument: [UInt8]) {
        self.time = time
        self.name = name
        self.argument = argument
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        DecimalInteger.append(Int(time), to: &bytes)
        bytes.append(UInt8(ascii: ","))
        bytes.appendJSONString(name.utf8.span)
        bytes.append(UInt8(ascii: ","))
        // In JSON a line feed stands only between values.
        for byte in argument { bytes.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte) }
        bytes += [UInt8(ascii: "]"), UInt8(ascii: "\n")]
    }

    /// Nil for a line that is none, without its line feed.
    package init?(_ line: [UInt8]) {
        let text = line.span
        var items = JSONItems()
        do throws(JSONError) {
            guard let time = try items.next(in: text)?.int(in: text), time >= 0,
                let name = try items.next(in: text)?.string(in: text), let argument = try items.next(in: text),
                try items.next(in: text) == nil
            else { return nil }
            self.init(time: Int64(time), name: name, argument: Array(line[argument.range]))
        } catch {
            return nil
        }
    }

    /// The lines of a block; nil when one of them is none.
    package static func all(in content: [UInt8]) -> [RecordingLine]? {
        var lines: [RecordingLine] = []
        for line in content.split(separator: UInt8(ascii: "\n")) {
            guard let line = RecordingLine(Array(line)) else { return nil }
            lines.append(line)
        }
        return lines
    }
}
