/// The time, as callers pass it to a room, which has no clock of its own.
package struct Moment: Sendable, Equatable {
    /// Milliseconds of a clock that never goes back.
    package var monotonic: Int64
    /// Seconds since 1970, for times that users see.
    package var unixSeconds: Int64

    package init(monotonic: Int64, unixSeconds: Int64) {
        self.monotonic = monotonic
        self.unixSeconds = unixSeconds
    }

    /// Writes a time as the protocol has it: `2025-10-10T10:00:00Z`, without fractions.
    ///
    /// A time before 1970 is written as the beginning of 1970: only a clock that was never set has such times.
    static func append(_ unixSeconds: Int64, to bytes: inout [UInt8]) {
        let (days, seconds) = max(unixSeconds, 0).quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = date(days)
        func number(_ value: Int64, _ digits: Int) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
        }
        number(year, 4)
        bytes.append(UInt8(ascii: "-"))
        number(month, 2)
        bytes.append(UInt8(ascii: "-"))
        number(day, 2)
        bytes.append(UInt8(ascii: "T"))
        number(seconds / 3_600, 2)
        bytes.append(UInt8(ascii: ":"))
        number(seconds / 60 % 60, 2)
        bytes.append(UInt8(ascii: ":"))
        number(seconds % 60, 2)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Counts in eras of 400 years from 1 March of the year 0, so that a leap day is the last of its year.
    private static func date(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
