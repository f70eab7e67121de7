/// A point in time as HTTP writes it, for instance `Sun, 06 Nov 1994 08:49:37 GMT`. The owner keeps one and makes
/// another when the second has passed.
public struct HTTPDate: Sendable {
    /// 29 bytes.
    public let text: [UInt8]

    /// Times before 1970 and after the year 9999 have no form here and are moved to the nearest that has.
    public init(unixSeconds: Int) {
        let seconds = min(max(unixSeconds, 0), 253_402_300_799)
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = Self.civil(days)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        // 1 January 1970 was a Thursday.
        Self.append(Self.weekdays, (days + 4) % 7, to: &text)
        text.append(contentsOf: ", ".utf8)
        Self.append(day, to: &text)
        text.append(ASCII.space)
        Self.append(Self.months, month - 1, to: &text)
        text.append(ASCII.space)
        Self.append(year / 100, to: &text)
        Self.append(year % 100, to: &text)
        text.append(ASCII.space)
        Self.append(time / 3600, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(time / 60 % 60, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(time % 60, to: &text)
        text.append(contentsOf: " GMT".utf8)
        self.text = text
    }

    public var string: String { String(decoding: text, as: UTF8.self) }

    /// The seconds since 1970 of a date in this form. Nil for other text, also in the two forms that RFC 9110 calls obsolete.
    public static func parse(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, let day = number(bytes[5..<7]), let year = number(bytes[12..<16]),
            let hour = number(bytes[17..<19]), let minute = number(bytes[20..<22]), let second = number(bytes[23..<25]),
            let month = (0..<12).first(where: { months[$0 * 3..<$0 * 3 + 3] == bytes[8..<11] }),
            year >= 1970, (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        // Before this month in its year, with its leap day.
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let past = year - 1
        let days = (year - 1970) * 365 + (past / 4 - past / 100 + past / 400) - 477 + lengths[..<month].reduce(0, +)
        let time = (days + day - 1) * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)
        // The punctuation, the weekday and the day of the month are right when this is how the time is written.
        return second < 60 && HTTPDate(unixSeconds: time).text == bytes ? Int64(time) : nil
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }

    private static let weekdays = Array("SunMonTueWedThuFriSat".utf8)
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

    /// The Gregorian date of a day counted from 1 January 1970. Years are counted from March here, so that the leap
    /// day is the last of its year, and months follow a regular pattern of 153 days in five.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // From 1 March of the year 0; an era is the 400 years after which the calendar repeats.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func append(_ names: [UInt8], _ index: Int, to text: inout [UInt8]) {
        text.append(contentsOf: names[index * 3..<index * 3 + 3])
    }

    /// Two digits.
    private static func append(_ value: Int, to text: inout [UInt8]) {
        text.append(UInt8(value / 10) + 0x30)
        text.append(UInt8(value % 10) + 0x30)
    }
}
