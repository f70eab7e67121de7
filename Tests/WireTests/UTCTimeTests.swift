import Testing

@testable import Wire

struct UTCTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2025-10-10T10:00:00Z", 1_760_090_400), ("1969-12-31T23:59:59Z", -1),
        ("1899-02-28T12:00:00Z", -2_235_470_400), ("2024-02-29T00:00:00Z", 1_709_164_800),
    ])
    func readsWhatItWrites(text: String, seconds: Int64) {
        #expect(UTCTime.parse(text) == seconds)
        #expect(UTCTime.text(seconds) == text)
    }

    @Test(arguments: [
        ("2025-10-10", 1_760_054_400), ("2025-10-10T10:00:00.123Z", 1_760_090_400),
        ("2025-10-10T12:00:00+02:00", 1_760_090_400), ("2025-10-10T05:30:00-0430", 1_760_090_400),
    ])
    func readsOtherFormsOfATime(text: String, seconds: Int64) {
        #expect(UTCTime.parse(text) == seconds)
    }

    @Test(arguments: [
        "", "today", "2025-13-01", "2025-02-29", "2025-00-10", "2025-10-10T", "2025-10-10T25:00:00Z",
        "2025-10-10T10:00:00", "2025-10-10T10:00:00.Z", "2025-10-10T10:00:00+2", "2025-1-01", "0000-01-01",
        "2025-10-10T10:00:00Zjunk", "２０２５-10-10",
    ])
    func refusesWhatIsNoTime(text: String) {
        #expect(UTCTime.parse(text) == nil)
    }

    @Test func birthdaysCountFromTheDay() throws {
        let birth = try #require(UTCTime.parse("2012-11-21"))
        #expect(UTCTime.years(from: birth, to: try #require(UTCTime.parse("2025-11-20"))) == 12)
        #expect(UTCTime.years(from: birth, to: try #require(UTCTime.parse("2025-11-21"))) == 13)
    }

    /// Every day of 500 years, against the one before it.
    @Test func daysFollowEachOther() {
        for day in Int64(-130_000)...50_000 {
            let seconds = day * 86_400
            guard UTCTime.parse(UTCTime.text(seconds)) == seconds else {
                Issue.record("day \(day)")
                return
            }
        }
    }
}
