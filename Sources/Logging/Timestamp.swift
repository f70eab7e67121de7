import Glibc

/// A moment as log lines write it: RFC 3339 in UTC with milliseconds, `2025-10-10T10:00:00.000Z`.
package struct Timestamp: Sendable {
    package let seconds: Int
    let milliseconds: Int

    package init(seconds: Int, milliseconds: Int) {
        self.seconds = seconds
        self.milliseconds = milliseconds
    }

    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
    }

    /// As the interfaces write it, without fractions: `2025-10-10T10:00:00Z`.
    package var wholeSeconds: String {
        var text: [UInt8] = []
        appendSeconds(to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    func append(to line: inout [UInt8]) {
        appendSeconds(to: &line)
        line.append(UInt8(ascii: "."))
        Self.append(milliseconds, digits: 3, to: &line)
        line.append(UInt8(ascii: "Z"))
    }

    private func appendSeconds(to line: inout [UInt8]) {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        Self.append(Int(parts.tm_year) + 1900, digits: 4, to: &line)
        line.append(UInt8(ascii: "-"))
        Self.append(Int(parts.tm_mon) + 1, digits: 2, to: &line)
        line.append(UInt8(ascii: "-"))
        Self.append(Int(parts.tm_mday), digits: 2, to: &line)
        line.append(UInt8(ascii: "T"))
        Self.append(Int(parts.tm_hour), digits: 2, to: &line)
        line.append(UInt8(ascii: ":"))
        Self.append(Int(parts.tm_min), digits: 2, to: &line)
        line.append(UInt8(ascii: ":"))
        Self.append(Int(parts.tm_sec), digits: 2, to: &line)
    }

    private static func append(_ number: Int, digits: Int, to line: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            line.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
