import Testing

@testable import Cluster

/// Two ends and a carrier that loses what the test tells it to.
private struct Line {
    var one = Pipe(from: 1, to: 2, version: 1, boot: 1, bytesMax: 1 << 20)
    var two = Pipe(from: 2, to: 1, version: 1, boot: 1, bytesMax: 1 << 20)
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

    mutating func sendsToTwo(_ record: [UInt8]) {
        let wasTaken = one.life.map { one.send(record, in: $0) }
        #expect(wasTaken == true)
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
        line.two = Pipe(from: 2, to: 1, version: 1, boot: 2, bytesMax: 1 << 20)
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

    @Test func anEndThatIsFarBehindIsLateUntilItHasCaughtUp() {
        var line = Line()
        line.connect()
        let record = [UInt8](repeating: 1, count: 1_000)
        for _ in 0..<(1 << 18) / 1_000 { line.sendsToTwo(record) }
        line.one.rest(at: line.now)
        #expect(!line.one.isLate)
        line.sendsToTwo(record)
        #expect(line.one.isLate, "a quarter of what can wait")
        line.one.rest(at: line.now)
        #expect(line.one.isLate)
        for _ in 0..<6 { line.carry(after: Pipe.idleMilliseconds) }
        line.one.rest(at: line.now)
        #expect(!line.one.isLate && line.one.keptBytes == 0)
    }

    @Test func anEndThatHasNotConfirmedForASecondIsLateAlsoWhileTheCarrierIsAway() {
        var line = Line()
        line.connect()
        line.one.rest(at: line.now)
        line.sendsToTwo([1])
        line.one.rest(at: line.now)
        line.one.rest(at: line.now + 999)
        #expect(!line.one.isLate)
        line.one.rest(at: line.now + 1_000)
        #expect(line.one.isLate)
        // Published, and not confirmed.
        line.now += 1_000
        line.carry { _ in true }
        line.one.rest(at: line.now)
        #expect(line.one.isLate)
        for _ in 0..<6 { line.carry(after: 100) }
        line.one.rest(at: line.now)
        #expect(!line.one.isLate)
        line.one.rest(at: line.now + 60_000)
        #expect(!line.one.isLate, "nothing waits")
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

/// Nodes of several versions of the link.
@Suite struct LinkVersionTests {
    private let key: [UInt8] = [1, 2, 3]

    /// A node, with what it has heard.
    private struct Node {
        let number: Int
        let versions: ClosedRange<Int>
        var pipes: Pipes
        var heard: [Pipe.Event] = []
        var sent: Set<UInt8> = []

        init(_ number: Int, _ versions: ClosedRange<Int>, boot: UInt64 = 1) {
            (self.number, self.versions) = (number, versions)
            pipes = Pipes(of: number, boot: boot, bytesMax: 1 << 20, versions: versions)
        }

        mutating func meet(_ others: [Int: ClosedRange<Int>]) {
            pipes.setPeers(others.merging([number: versions]) { $1 })
        }

        var isEstablished: Bool { heard.last.map { $0 != .lost } ?? false }
    }

    private func carry(_ one: inout Node, _ two: inout Node, from now: inout Int64, rounds: Int = 8) {
        for _ in 0..<rounds {
            now += 100
            give(one: &one, to: &two, now)
            give(one: &two, to: &one, now)
        }
    }

    private func give(one: inout Node, to two: inout Node, _ now: Int64) {
        for frame in one.pipes.takeFrames(to: two.number, at: now) {
            let bytes = frame.encoded(key)
            one.sent.insert(bytes[0])
            guard let frame = LinkFrame(bytes, key: key, versions: two.versions) else { continue }
            two.pipes.receive(frame)
        }
        two.heard += two.pipes.takeEvents()[one.number] ?? []
    }

    @Test(arguments: [
        (1...1, 1...2, 1), (1...2, 2...3, 2), (1...3, 2...3, 3), (2...2, 1...2, 2),
    ])
    func twoNodesSpeakTheNewestVersionThatBothHave(one: ClosedRange<Int>, two: ClosedRange<Int>, version: Int) {
        var (one, two, now) = (Node(1, one), Node(2, two), Int64(0))
        one.meet([2: two.versions])
        two.meet([1: one.versions])
        carry(&one, &two, from: &now)
        #expect(one.isEstablished && two.isEstablished)
        #expect(one.sent == [UInt8(version)] && two.sent == [UInt8(version)])
        #expect(one.pipes.reading.map(\.version) == [version])
    }

    @Test func nodesWithoutACommonVersionDoNotSpeakAndAreNamed() {
        var (one, two, now) = (Node(1, 1...1), Node(2, 2...3), Int64(0))
        one.meet([2: two.versions])
        two.meet([1: one.versions])
        carry(&one, &two, from: &now)
        #expect(one.sent.isEmpty && two.sent.isEmpty && one.heard.isEmpty && two.heard.isEmpty)
        #expect(one.pipes.peers.isEmpty)
        let peer = one.pipes.reading.first
        #expect(peer?.node == 2 && peer?.versions == 2...3 && peer?.version == nil && peer?.isConnected == false)
    }

    /// A frame of a new version from a node that had been known for an old one was dropped as nobody's.
    @Test func aNodeThatIsUpgradedIsReadBeforeTheOthersHearOfIt() {
        var (one, old, now) = (Node(1, 1...2), Node(2, 1...1), Int64(0))
        one.meet([2: 1...1])
        old.meet([1: 1...2])
        carry(&one, &old, from: &now)
        var new = Node(2, 1...2, boot: 2)
        new.meet([1: 1...2])
        carry(&one, &new, from: &now)
        #expect(one.isEstablished && new.isEstablished && new.sent == [2])
        // What they say of each other later ends no life of the pipe.
        let events = one.heard.count
        one.meet([2: 1...2])
        carry(&one, &new, from: &now)
        #expect(one.heard.count == events && one.pipes.life(to: 2) != nil)
    }

    @Test func aNodeThatComesBackWithoutACommonVersionIsLost() {
        var (one, two, now) = (Node(1, 1...1), Node(2, 1...1), Int64(0))
        one.meet([2: 1...1])
        two.meet([1: 1...1])
        carry(&one, &two, from: &now)
        one.meet([2: 2...2])
        #expect(one.pipes.life(to: 2) == nil)
        one.heard += one.pipes.takeEvents()[2] ?? []
        #expect(one.heard.last == .lost)
    }
}

@Suite struct LinkFrameTests {
    private let key: [UInt8] = Array("the secret of a cluster".utf8)
    private let frame = LinkFrame(
        version: 1, from: 3, to: 63, wantsAgain: true, generation: 1 << 40, peerGeneration: 7, number: 9, received: 8,
        records: [[1, 2, 3], [], [4]])

    @Test func whatIsWrittenIsRead() {
        #expect(LinkFrame(frame.encoded(key), key: key) == frame)
    }

    @Test func aVersionThatTheNodeDoesNotReadIsNoFrame() {
        #expect(LinkFrame(frame.encoded(key), key: key, versions: 2...3) == nil)
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
