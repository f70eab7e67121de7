import Testing
import Wire

@testable import Sessions

@Suite struct FarPollMessageTests {
    private static let session = SessionID(node: 5, shard: 3)
    private static let messages: [FarPollMessage] = [
        .request(
            FarPollRequest(
                number: 7 << 8 | 2, session: session, isPost: true, version: "4", contentType: "text/plain",
                body: Array("42[]".utf8))),
        .request(
            FarPollRequest(number: 1, session: session, isPost: false, version: "", contentType: nil, body: [])),
        .answer(
            9 << 8 | 4, FarPollAnswer(status: 200, headers: [.init("Content-Type", "text/plain")], body: [50])),
        .gone(12, shard: 255),
    ]

    @Test(arguments: messages) func theOtherNodeReadsWhatWasSent(_ message: FarPollMessage) throws {
        #expect(try FarPollMessage(record: message.record) == message)
    }

    @Test func eachNamesItsShardAtTheOtherNode() {
        #expect(Self.messages.map(\.shard) == [3, 3, 4, 255])
    }

    @Test func recordsOfOtherPartsAreLeftToThem() throws {
        var record = RecordWriter()
        record.put(UInt64(1))
        record.put("room")
        #expect(try FarPollMessage(record: record.bytes) == nil)
    }

    /// A node of another version may say anything.
    @Test(arguments: messages) func whatIsCutOrChangedIsRefused(_ message: FarPollMessage) {
        let record = message.record
        for count in 0..<record.count {
            #expect(throws: RecordFault.self) { try FarPollMessage(record: Array(record.prefix(count))) }
        }
        #expect(throws: RecordFault.self) { try FarPollMessage(record: record + [0]) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var changed = record
            changed[Int.random(in: 1..<changed.count, using: &generator)] = .random(in: 0...255, using: &generator)
            // Whatever it reads as, its shard is a number that a shard can have.
            if let read = try? FarPollMessage(record: changed) { #expect(0...255 ~= read.shard) }
        }
    }
}
