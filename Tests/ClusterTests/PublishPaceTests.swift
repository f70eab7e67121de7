import Testing

@testable import Cluster

@Suite struct PublishPaceTests {
    @Test func theFirstGoesAtOnceAndWhatFollowsItGoesTogether() {
        var pace = PublishPace()
        #expect(pace.isDue(1, at: 100))
        pace.note(1, to: 1, at: 100)
        #expect(!pace.isDue(1, at: 100) && pace.isDue(2, at: 100))
        #expect(pace.isDue(1, at: 101))
    }

    @Test func afterManyRecordsTheNextFrameWaitsLonger() {
        var pace = PublishPace()
        pace.note(4, to: 1, at: 100)
        #expect(!pace.isDue(1, at: 102) && pace.isDue(1, at: 103))
    }

    @Test func aFrameWithoutRecordsKeepsNoneBack() {
        var pace = PublishPace()
        pace.note(0, to: 1, at: 100)
        #expect(pace.isDue(1, at: 100))
    }
}
