import Testing
import Wire

@testable import Rooms

@Suite("Offsets")
struct OffsetTests {
    @Test("An offset is read as it was written")
    func roundTrip() {
        for seq in [0, 1, 35, 1 << 40, .max] as [UInt64] {
            for incarnation in [0, 7, 1 << 48, .max] as [UInt64] {
                for membership in [nil, 0, 36, .max] as [UInt64?] {
                    let offset = LogOffset(seq: seq, incarnation: incarnation, membership: membership)
                    #expect(LogOffset(offset.text) == offset && offset.text.utf8.count <= 64)
                }
            }
        }
    }

    @Test(
        "What is no offset is none",
        arguments: [
            "", ".", "..", "1", "1.", ".1", "1.a.", "1.a.b.c", "-1.a", "a.1", "1.é", "1. a", "1.a.!",
            "1.zzzzzzzzzzzzzzzz",
            "99999999999999999999.a", "1.a ", String(repeating: "1", count: 60) + ".a.bcd", "1@lounge",
        ])
    func garbage(text: String) {
        #expect(LogOffset(text) == nil)
    }

    /// What a client that wants offsets gets is what the others get, with an offset behind the argument of each entry's
    /// last event.
    private func split(_ text: String) throws -> (plain: String, offset: LogOffset?) {
        let items = try JSONReader(Array(text.dropFirst().utf8)).items ?? []
        guard items.count == 3, let offset = items[2].string else { return (text, nil) }
        return (String(text.dropLast(offset.utf8.count + 4)) + "]", LogOffset(offset))
    }

    @Test("Entries come with their number, positions without one, whatever way they come", arguments: 0..<16)
    func entries(ways: Int) throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let plain = try stage.join("plain")
        let marked = try stage.join("marked", form: .offsets)
        _ = stage.texts(plain)
        _ = stage.texts(marked)
        // Lengths around those at which the frame's header grows, before or by the offset.
        for (step, length) in [0, 1, 2, 3, 5, 10, 20, 200, 65_300, 65_535].enumerated() {
            try stage.move(ada, step)
            if step % 3 != 1 {
                let text = "\"" + String(repeating: "x", count: length) + "\""
                _ = try stage.create(ada, id: "e\(step)", content: text)
            }
            if step % 3 == 2 { try stage.room.endTouch(of: ada) }
            stage.tick()
            guard ways >> (step % 4) & 1 == 1 || step == 9 else { continue }
            let expected = stage.texts(plain)
            let seq = stage.replica.lastSeq
            let got = try stage.texts(marked).map(split)
            #expect(got.map(\.plain) == expected)
            let offsets = got.compactMap(\.offset)
            #expect(offsets.allSatisfy { $0.incarnation == 46_655 && $0.membership == nil })
            #expect(offsets.map(\.seq) == (0..<UInt64(offsets.count)).map { seq - UInt64(offsets.count) + 1 + $0 })
            #expect(got.allSatisfy { ($0.offset == nil) == $0.plain.hasPrefix(#"2["touch:moved""#) })
        }
    }

    @Test("Every length of an entry makes a whole frame")
    func lengths() {
        for length in [20...60, 100...150, 65_500...65_545].joined() {
            let body = String(repeating: "x", count: length)
            var frames: [UInt8] = []
            EventFrame.append("a", to: &frames) { $0.append(contentsOf: "\"\(body)\"".utf8) }
            let entry = LogEntry(seq: 7, frames: frames)
            var marked: [UInt8] = []
            EventFrame.append(entry, .offsets, offsetTail: LogOffset.tail(35), to: &marked)
            var expected: [UInt8] = []
            let text = Array(#"42["a",""#.utf8) + Array(body.utf8) + Array(#"","7.z"]"#.utf8)
            WebSocketFrame.append(text: text.span, into: &expected)
            #expect(marked == expected)
        }
    }

    @Test("A member without offsets costs nothing, and a batch has offsets only on the log's events")
    func batches() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        try stage.move(ada, 1)
        _ = try stage.create(ada, id: "e")
        stage.tick()
        #expect(stage.encodesOneForm)
        let both = try stage.join("both", form: [.batches, .offsets])
        _ = stage.texts(both)
        try stage.move(ada, 2)
        stage.tick()
        #expect(stage.summary(both) == ["touch:batch"])
        _ = try stage.create(ada, id: "f")
        try stage.move(ada, 3)
        stage.tick()
        let got = try stage.texts(both).map(split)
        #expect(got.map { $0.offset?.seq } == [stage.replica.lastSeq, nil])
        #expect(got.map { Stage.summary($0.plain) } == ["element:created", "touch:batch"])
        stage.replica.remove(both)
        _ = try stage.create(ada, id: "g")
        stage.tick()
        #expect(stage.encodesOneForm)
    }

    @Test("A member's own position is left out behind marked entries too")
    func own() throws {
        var stage = Stage()
        let ada = try stage.join("ada", form: .offsets)
        let bo = try stage.join("bo", form: .offsets)
        let cy = try stage.join("cy", form: .offsets)
        for member in [ada, bo, cy] { _ = stage.texts(member) }
        for (index, member) in [ada, bo, cy].enumerated() { try stage.move(member, index) }
        _ = try stage.create(ada, id: "e")
        stage.tick()
        #expect(stage.summary(ada) == ["element:created", "touch:moved 1", "touch:moved 2"])
        #expect(stage.summary(bo) == ["element:created", "touch:moved 0", "touch:moved 2"])
        #expect(stage.summary(cy) == ["element:created", "touch:moved 0", "touch:moved 1"])
    }
}
