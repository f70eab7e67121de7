import Testing

@testable import Rooms

@Suite("The log")
struct RoomLogTests {
    private func entry(_ seq: UInt64, _ bytes: Int) -> LogEntry {
        LogEntry(seq: seq, frames: Array(repeating: UInt8(truncatingIfNeeded: seq), count: bytes))
    }

    /// Every bound from nothing to all, every number of entries, every cursor, beside a plain array.
    @Test("Small logs keep exactly what fits and reach exactly as far")
    func exhaustive() {
        for bound in 0...13 {
            for begin in [0, 5] as [UInt64] {
                var log = RoomLog(after: begin, bytesMax: bound)
                var model: [LogEntry] = []
                for count in 0...9 as ClosedRange<UInt64> {
                    if count > 0 {
                        let next = entry(begin + count, Int(count * 7 % 5))
                        log.append(next)
                        model.append(next)
                        while model.reduce(0, { $0 + $1.frames.count }) > bound { model.removeFirst() }
                    }
                    #expect(log.byteCount == model.reduce(0) { $0 + $1.frames.count } && log.byteCount <= bound)
                    #expect(log.lastSeq == begin + count && log.count == model.count)
                    for cursor in 0...(begin + count + 2) {
                        let reaches = cursor <= log.lastSeq && cursor + UInt64(model.count) >= log.lastSeq
                        #expect(log.reaches(cursor) == reaches)
                        if reaches { #expect(Array(log.entries(after: cursor)) == model.filter { $0.seq > cursor }) }
                    }
                    #expect(!log.reaches(.max))
                }
            }
        }
    }

    @Test("A long log gives up the places of what it has forgotten")
    func long() {
        var log = RoomLog(after: 0, bytesMax: 100)
        for seq in 1...10_000 as ClosedRange<UInt64> { log.append(entry(seq, 10)) }
        #expect(log.count == 10 && log.entries(after: 9_990).map(\.seq) == Array(9_991...10_000))
        #expect(log.entries(after: 9_990).startIndex < 200)
    }

    @Test("Older entries are taken in front where they fit without a gap")
    func extended() {
        let all = (1...9 as ClosedRange<UInt64>).map { entry($0, 10) }
        for begin in 0...9 {
            for end in begin...9 {
                for from in 0...9 {
                    var log = RoomLog(after: UInt64(begin), bytesMax: 60)
                    for entry in all[begin..<end] { log.append(entry) }
                    let before = log.count
                    log.extendBack(Array(all[from...]))
                    let fits = from < begin && end - from <= 6 && begin >= end - before
                    let first = from < end - before && fits ? from : end - before
                    #expect(log.entries(after: UInt64(first)).map(\.seq) == all[first..<end].map(\.seq))
                    #expect(log.byteCount == (end - first) * 10 && log.lastSeq == UInt64(end))
                }
            }
        }
    }
}

@Suite("A replica")
struct ReplicaTests {
    @Test("Members that keep up get the newest delta, others what they lack, in every small case")
    func cursors() throws {
        // Every way in which three ticks can be read or not, with what each tick has.
        for reads in 0..<8 {
            for content in 0..<27 {
                var stage = Stage()
                let ada = try stage.join("ada")
                let bo = try stage.join("bo")
                let kinds = [content % 3, content / 3 % 3, content / 9]
                var expected: [String] = []
                var position = ""
                for tick in 0..<3 {
                    if kinds[tick] != 1 {
                        try stage.move(ada, tick)
                        position = "touch:moved \(tick)"
                    }
                    if kinds[tick] != 0 {
                        _ = try stage.create(ada, id: "e\(tick)")
                        expected.append("element:created")
                    }
                    stage.tick()
                    guard reads >> tick & 1 == 1 else { continue }
                    #expect(stage.summary(bo) == expected + (position.isEmpty ? [] : [position]))
                    #expect(stage.summary(bo) == [])
                    expected = []
                    position = ""
                }
                #expect(stage.summary(bo) == expected + (position.isEmpty ? [] : [position]))
            }
        }
    }

    @Test(
        "Portions are small, in order, and add up to the whole, positions last", arguments: [0, 1, 300, 1_000, 100_000])
    func portions(bytesMax: Int) throws {
        func behind() throws -> (Stage, index: Int) {
            var stage = Stage()
            let slow = try stage.join("slow")
            let ada = try stage.join("ada")
            for index in 0..<20 { _ = try stage.create(ada, id: "e\(index)") }
            try stage.move(ada, 1)
            stage.tick()
            return (stage, try #require(stage.replica.index(of: slow)))
        }
        let (other, _) = try behind()
        let (stage, index) = try behind()
        var whole: [UInt8] = []
        #expect(other.replica.feed(index, into: &whole, bytesMax: .max))
        var all: [UInt8] = []
        var portions = 0
        while true {
            var portion: [UInt8] = []
            let isDone = stage.replica.feed(index, into: &portion, bytesMax: bytesMax)
            #expect(portion.count < bytesMax + 400 && !portion.isEmpty)
            all += portion
            portions += 1
            if isDone { break }
        }
        #expect(all == whole && portions > (bytesMax < 1_000 ? 4 : 0))
        if case .nothing = stage.replica.due(index) { return }
        Issue.record("something is left")
    }

    @Test("A member behind the log's beginning is lost, exactly one entry later")
    func lost() throws {
        for bound in [0, 250, 500, 1_000] {
            for missed in 0..<20 {
                var stage = Stage { $0.logBytesMax = bound }
                let slow = try stage.join("slow")
                _ = stage.deliver(slow)
                let ada = try stage.join("ada")
                let cursor = stage.replica.lastSeq - 1
                for index in 0..<missed {
                    _ = try stage.create(ada, id: "e\(index)")
                    stage.tick()
                }
                let isReached = cursor + UInt64(stage.replica.keptLogEntries) >= stage.replica.lastSeq
                let isNewest = missed == 0
                #expect(stage.replica.keptLogBytes <= bound)
                #expect((stage.deliver(slow) == .lost) == (!isReached && !isNewest))
            }
        }
    }

    @Test("A member that comes back gets the missed entries, or none, and the current touches")
    func resume() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        var bo = try stage.join("bo")
        try stage.move(ada, 1)
        stage.tick()
        for missed in 0..<3 {
            let seq = stage.replica.lastSeq
            stage.replica.remove(bo)
            stage.room.lose(bo, at: stage.now)
            for index in 0..<missed { _ = try stage.create(ada, id: "e\(missed)\(index)") }
            stage.tick()
            let back = stage.newConnection()
            let slot = try stage.room.join(back, Stage.person("bo"), at: stage.now).slot
            stage.tick()
            #expect(stage.replica.resume(back, slot: slot, seq: seq) == true)
            let expected = Array(repeating: "element:created", count: missed) + ["touch:moved 1"]
            #expect(stage.summary(back) == expected)
            bo = back
        }
    }

    /// It got the newest entries as they were encoded for the members that had been there, without offsets.
    @Test("A member with a view that comes back gets the missed entries in its own form")
    func resumeInOwnForm() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let seq = stage.replica.lastSeq
        let back = stage.newConnection()
        let slot = try stage.room.join(back, Stage.person("bo"), at: stage.now).slot
        try stage.move(ada, 7)
        stage.tick()
        #expect(stage.replica.resume(back, slot: slot, seq: seq, form: [.offsets]) == true)
        stage.replica.setView(try #require(stage.replica.index(of: back)), .everything)
        let texts = stage.texts(back)
        #expect(texts.first?.hasSuffix(#"},"2.zzz"]"#) == true, "\(texts)")
        #expect(texts.map(Stage.summary) == ["user:joined", "view:all", "touch:moved 7"])
    }

    @Test("A number that is not the log's is refused, and a present member keeps its cursor")
    func refused() throws {
        var stage = Stage { $0.logBytesMax = 400 }
        let ada = try stage.join("ada")
        for index in 0..<10 { _ = try stage.create(ada, id: "e\(index)") }
        stage.tick()
        let other = stage.newConnection()
        for seq in [0, 1, 5, 12, 1_000, UInt64.max] { #expect(stage.replica.resume(other, slot: 1, seq: seq) == false) }
        #expect(stage.replica.members.count == 1)
        stage.replica.advance(0)
        #expect(stage.replica.resume(ada, slot: 0, seq: stage.replica.lastSeq - 1) == true)
        #expect(stage.summary(ada) == [])
    }

    @Test("Joining again begins anew: nothing from before the state, current positions once more")
    func again() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        try stage.move(bo, 1)
        _ = try stage.create(bo, id: "e")
        stage.tick()
        stage.replica.add(ada, slot: 0)
        #expect(stage.replica.members.count == 2 && stage.summary(ada) == ["touch:moved 1"])
    }

    @Test("Only the participant who ended a touch does not get the end, also among members that are behind")
    func exceptions() throws {
        var stage = Stage()
        let members = try ["ada", "bo", "cy"].map { (id) throws(RoomError) in try stage.join(id) }
        for member in members { _ = stage.texts(member) }
        for mover in members {
            try stage.move(mover, 1)
            try stage.room.endTouch(of: mover)
            stage.tick()
            for member in members.dropLast() {
                #expect(stage.summary(member) == (member == mover ? [] : ["touch:moved 1", "touch:ended"]))
            }
        }
        #expect(stage.summary(members[2]).count == 4)
    }

    /// A participant who came back after the grace, into a slot that another one had had in between, missed the end of
    /// that one's touch.
    @Test("An exception does not apply to a later participant of the slot")
    func laterOwner() throws {
        var stage = Stage()
        let watcher = try stage.join("w")
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        let seq = stage.replica.lastSeq
        stage.replica.remove(bo)
        try stage.room.leave(bo)
        try stage.move(ada, 1)
        stage.replica.remove(ada)
        try stage.room.leave(ada)
        stage.tick()
        let back = stage.newConnection()
        let slot = try stage.room.join(back, Stage.person("bo"), at: stage.now).slot
        #expect(slot == 1)
        stage.tick()
        let expected = ["user:left", "touch:moved 1", "touch:ended", "user:left", "user:joined"]
        // The same on a shard that has seen nothing of it.
        var elsewhere = stage
        elsewhere.replica = RoomReplica(stage.room.snapshot(), seq: stage.room.lastSeq, logBytesMax: 10_000)
        #expect(elsewhere.replica.resume(back, slot: slot, seq: seq) == false)
        elsewhere.replica.extendBack(try #require(stage.room.entries(after: seq)))
        #expect(elsewhere.replica.resume(back, slot: slot, seq: seq) == true)
        #expect(elsewhere.summary(back) == expected)
        #expect(stage.replica.resume(back, slot: slot, seq: seq) == true)
        #expect(stage.summary(back) == expected)
        _ = stage.texts(watcher)
    }

    @Test("Members come and go in any order and keep their own cursors")
    func members() throws {
        var stage = Stage()
        var connections: [ConnectionID] = []
        for index in 0..<10 { connections.append(try stage.join("p\(index)")) }
        for (step, index) in [3, 8, 0, 6, 1].enumerated() {
            stage.replica.remove(connections[index])
            stage.replica.remove(connections[index])
            #expect(stage.replica.members.count == 9 - step)
            for (place, member) in stage.replica.members.enumerated() {
                #expect(stage.replica.index(of: member.connection) == place)
                #expect(member.slot == Int(member.connection.number) - 1)
            }
        }
        #expect(stage.summary(connections[2]).count == 7)
    }
}
