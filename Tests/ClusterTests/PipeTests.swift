import Testing

@testable import Cluster

/// Two ends and a carrier that loses what the test tells it to.
private struct Line {
    var one = Pipe(from: 1, to: 2, boot: 1, bytesMax: 1 << 20)
    var two = Pipe(from: 2, to: 1, boot: 1, bytesMax: 1 << 20)
    var now: Int64 = 0
    var heardByOne: [Pipe.Event] = []
    var heardByTwo: [Pipe.Event] = []

    /// Carries what both have to say, some time later.
    mutating func carry(losing isLost: (LinkFrame) -> Bool = { _ in false }, after milliseconds: Int64 = 20) {
        now += milliseconds
        let key: [UInt8] = [1, 2, 3]
        for frame in one.takeFrames(at: now) where !isLost(frame) {
            if let frame = LinkFrame(frame.encoded(key), key: key) { two.receive(frame) }
        }
        for frame in two.takeFrames(at: now) where !isLost(frame) {
            if let frame = LinkFrame(frame.encoded(key), key: key) { one.receive(frame) }
        }
        heardByOne += one.takeEvents()
        heardByTwo += two.takeEvents()
    }

    mutating func connect() {
        for _ in 0..<4 { carry() }
    }

    mutating func send(_ text: String) -> Bool {
        guard let life = one.life else { return false }
        return one.send(Array(text.utf8), in: life)
    }

    mutating func sends(_ text: String, isTaken: Bool = true) {
        let wasTaken = send(text)
        #expect(wasTaken == isTaken)
    }

    var recordsOfTwo: [String] {
        heardByTwo.compactMap {
            if case .record(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }
}

@Suite struct PipeTests {
    @Test func bothEndsAreEstablishedOnceAndCarryRecordsInOrder() {
        var line = Line()
        line.sends("too early", isTaken: false)
        line.connect()
        #expect(line.heardByOne.count == 1 && line.heardByTwo.count == 1)
        #expect(line.one.life != nil && line.two.life != nil)
        line.sends("a")
        line.sends("b")
        line.carry()
        line.sends("c")
        for _ in 0..<3 { line.carry() }
        #expect(line.recordsOfTwo == ["a", "b", "c"])
    }

    @Test func lostFramesAreSentAgainInOrder() {
        var line = Line()
        line.connect()
        var generator = SystemRandomNumberGenerator()
        var expected: [String] = []
        for number in 0..<500 {
            line.sends("\(number)")
            expected.append("\(number)")
            line.carry { _ in Bool.random(using: &generator) }
        }
        for _ in 0..<50 { line.carry() }
        #expect(line.recordsOfTwo == expected)
        #expect(line.one.keptBytes == 0)
        #expect(!line.heardByOne.contains(.lost) && !line.heardByTwo.contains(.lost))
    }

    @Test func aRecordThatMustNotCrowdOutOthersIsRefusedAndThePipeLivesOn() {
        var line = Line()
        let record = [UInt8](repeating: 1, count: 600)
        var isSent = line.one.send(record, waitingAtMost: 1_000)
        #expect(!isSent, "there is no pipe yet")
        line.connect()
        isSent = line.one.send(record, waitingAtMost: 1_000)
        #expect(isSent)
        isSent = line.one.send(record, waitingAtMost: 1_000)
        #expect(!isSent)
        isSent = line.one.send([UInt8](repeating: 1, count: 2 << 20), waitingAtMost: .max)
        #expect(!isSent, "more than the pipe takes")
        line.sends("a")
        for _ in 0..<3 { line.carry(after: Pipe.idleMilliseconds) }
        #expect(line.recordsOfTwo.last == "a" && !line.heardByOne.contains(.lost))
        isSent = line.one.send(record, waitingAtMost: 1_000)
        #expect(isSent, "what waited has arrived")
    }

    @Test func aLongRecordBetweenShortOnesIsCountedAndConfirmed() {
        var line = Line()
        line.connect()
        for size in [10, 200 << 10, 10, 100 << 10, 10] {
            line.sends(String(repeating: "a", count: size))
        }
        for _ in 0..<5 { line.carry(after: Pipe.idleMilliseconds) }
        #expect(line.recordsOfTwo.map(\.utf8.count) == [10, 200 << 10, 10, 100 << 10, 10])
        #expect(line.one.keptBytes == 0)
    }

    @Test func aLostFrameIsNoticedWithoutFurtherRecords() {
        var line = Line()
        line.connect()
        line.sends("a")
        line.carry { !$0.isIdle }
        #expect(line.recordsOfTwo.isEmpty)
        // The next idle frame tells that there was one.
        line.carry(after: Pipe.idleMilliseconds)
        for _ in 0..<3 { line.carry() }
        #expect(line.recordsOfTwo == ["a"])
    }

    @Test func whatIsKeptIsBoundedAndPastTheBoundBothEndsBeginAnew() {
        var line = Line()
        line.connect()
        let record = String(repeating: "x", count: 1_000)
        var count = 0
        while true {
            guard line.send(record) else { break }
            count += 1
            line.carry { _ in true }
        }
        #expect(count == (1 << 20) / 1_000)
        #expect(line.one.keptBytes == 0 && line.one.life == nil)
        line.connect()
        line.connect()
        #expect(line.heardByOne.count == 3 && line.heardByOne[1] == .lost)
        #expect(line.heardByTwo.count == 3 && line.heardByTwo[1] == .lost)
        line.sends("after")
        for _ in 0..<3 { line.carry() }
        #expect(line.recordsOfTwo == ["after"])
    }

    @Test func aRecordOfAnEarlierLifeIsNotSent() throws {
        var line = Line()
        line.connect()
        let life = try #require(line.one.life)
        line.one.lose()
        line.connect()
        #expect(line.one.life != nil && line.one.life != life)
        let isSent = line.one.send([1], in: life)
        #expect(!isSent)
    }

    @Test func aNodeThatWasStartedAnewLosesThePipeForTheOther() {
        var line = Line()
        line.connect()
        line.two = Pipe(from: 2, to: 1, boot: 2, bytesMax: 1 << 20)
        line.heardByTwo = []
        line.connect()
        line.connect()
        #expect(line.heardByOne.count == 3 && line.heardByOne[1] == .lost)
        #expect(line.heardByTwo.count == 1)
        line.sends("a")
        line.carry()
        #expect(line.recordsOfTwo == ["a"])
    }

    @Test func aBlockedEndTakesNothingAndMissesNothing() {
        var line = Line()
        line.connect()
        line.two.isBlocked = true
        for number in 0..<5 {
            line.sends("\(number)")
            line.carry()
        }
        #expect(line.recordsOfTwo.isEmpty)
        line.two.isBlocked = false
        for _ in 0..<4 { line.carry() }
        #expect(line.recordsOfTwo == ["0", "1", "2", "3", "4"])
    }

    @Test func whatARecordHoldsIsReleasedWhenTheOtherEndHasIt() {
        final class Thing: Sendable {}
        var line = Line()
        line.connect()
        var thing: Thing? = Thing()
        weak let seen = thing
        if let life = line.one.life {
            let isSent = line.one.send([1], holding: thing, in: life)
            #expect(isSent)
        }
        thing = nil
        line.carry { _ in true }
        #expect(seen != nil)
        for _ in 0..<60 { line.carry() }
        #expect(seen == nil)
    }
}

@Suite struct LinkFrameTests {
    private let key: [UInt8] = Array("the secret of a cluster".utf8)
    private let frame = LinkFrame(
        from: 3, to: 63, wantsAgain: true, generation: 1 << 40, peerGeneration: 7, number: 9, received: 8,
        records: [[1, 2, 3], [], [4]])

    @Test func whatIsWrittenIsRead() {
        #expect(LinkFrame(frame.encoded(key), key: key) == frame)
    }

    @Test func noOtherBytesAreAFrame() {
        let bytes = frame.encoded(key)
        #expect(LinkFrame(bytes, key: [0]) == nil)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(LinkFrame(changed, key: key) == nil)
            #expect(LinkFrame(Array(bytes.prefix(index)), key: key) == nil)
        }
    }
}
