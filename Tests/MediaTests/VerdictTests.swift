import Media
import Testing

@Suite("What is wrong with a file")
struct VerdictTests {
    @Test("is kept as a text that says the same later")
    func kept() throws {
        let verdicts: [MediaError] = [
            .unsupportedFormat, .damaged, .tooCostly, .tooLarge(bytesMax: 7), .tooManyPixels(max: 8),
            .tooLong(secondsMax: 9),
        ]
        for error in verdicts {
            #expect(MediaError(verdict: try #require(error.verdict)) == error)
            #expect(error.attemptsOfVerdict == 1)
        }
        for text in ["", "bytes", "bytes x", "of a later version"] { #expect(MediaError(verdict: text) == .damaged) }
    }

    @Test("is tried again a few times when the process has not told of it")
    func unfinished() throws {
        let error = MediaError.unfinished("signal 9 has ended it")
        #expect(error.attemptsOfVerdict == 3)
        let kept = MediaError(verdict: try #require(error.verdict))
        #expect(kept.verdict == error.verdict && kept != .damaged)
    }

    @Test("is nothing that may pass")
    func passing() {
        let faults: [MediaError] = [.chunkMissing(1), .storeFull, .storeFailed("x"), .workerFailed("x"), .unsealed]
        for error in faults { #expect(error.verdict == nil) }
    }
}
