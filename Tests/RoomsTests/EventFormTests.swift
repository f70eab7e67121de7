import Foundation
import Testing
import Wire

@testable import Rooms

/// Names that have to be escaped wherever they come in.
private let awkward = #"quo"te\ "# + "\u{1}\n\u{2028}é🙂"

@Suite("The form of events")
struct EventFormTests {
    @Test("Presence and touch events have the contract's members")
    func presence() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let ada = try stage.join(awkward)
        try stage.move(ada, 3, y: "-1.5e3", element: "\"e\"")
        try stage.room.leave(ada)
        stage.tick()
        let texts = stage.texts(watcher)
        let joined = try argument(texts[0], of: "user:joined")
        #expect(keys(joined) == ["roomId", "userId", "user", "color", "joinedAt", "slot"])
        #expect(joined?["userId"]?.string == awkward && joined?["user"]?["id"]?.string == awkward)
        #expect(joined?["joinedAt"]?.string == "2025-10-10T10:00:00Z" && joined?["slot"]?.int == 1)
        #expect(joined?["color"]?.string?.wholeMatch(of: /#[0-9A-F]{6}/) != nil)
        let moved = try argument(texts[1], of: "touch:moved")
        #expect(keys(moved) == ["roomId", "userId", "x", "y", "elementId"])
        #expect(moved?["x"]?.double == 3 && moved?["y"]?.double == -1_500 && moved?["elementId"]?.string == "e")
        let ended = try argument(texts[2], of: "touch:ended")
        #expect(keys(ended) == ["roomId", "userId"] && ended?["userId"]?.string == awkward)
        let left = try argument(texts[3], of: "user:left")
        #expect(keys(left) == ["roomId", "userId"] && left?["roomId"]?.string == "lounge")
    }

    @Test("Elements have the guide's members, and those of a change once there was one")
    func elements() throws {
        var stage = Stage()
        let ada = try stage.join(awkward)
        var values = Element.noValues
        for field in Element.Field.allCases { values[field.rawValue] = Array("\(field.rawValue)".utf8) }
        for kind in Element.Kind.allCases {
            let creation = Room.Creation(kind: kind, values: values)
            _ = try stage.room.create(creation, by: ada, newID: "e-\(kind)", at: stage.now)
        }
        stage.now.unixSeconds += 1
        let none: [[UInt8]?] = Array(repeating: nil, count: values.count)
        _ = try stage.room.update("e-photo", none, version: 1, by: ada, at: stage.now)
        _ = try stage.room.delete("e-photo", by: ada)
        stage.tick()
        let texts = stage.texts(ada)
        let required = ["id", "roomId", "type", "createdBy", "positionX", "positionY", "width", "height"]
        let all = required + ["content", "imageUrl", "audioUrl", "duration", "z", "color", "createdAt", "version"]
        for (text, kind) in zip(texts, ["note", "photo", "audio"]) {
            let element = try argument(text, of: "element:created")
            #expect(keys(element) == all && element?["type"]?.string == kind && element?["version"]?.int == 1)
            #expect(element?["createdBy"]?.string == awkward)
        }
        let changed = try argument(texts[3], of: "element:updated")
        #expect(keys(changed) == all + ["updatedAt", "updatedBy"] && changed?["version"]?.int == 2)
        #expect(changed?["updatedAt"]?.string == "2025-10-10T10:00:01Z" && changed?["updatedBy"]?.string == awkward)
        let deleted = try argument(texts[4], of: "element:deleted")
        #expect(keys(deleted) == ["roomId", "elementId", "version"] && deleted?["version"]?.int == 3)
    }

    @Test("An element without optional values leaves them out")
    func optional() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "e")
        stage.tick()
        let element = try argument(stage.texts(ada)[0], of: "element:created")
        #expect(keys(element).filter { ["content", "imageUrl", "audioUrl", "duration"].contains($0) } == [])
    }

    @Test("The joiner gets the whole state as of the log's number")
    func joined() throws {
        var stage = Stage()
        let ada = try stage.join(awkward)
        _ = try stage.create(ada, id: "e1")
        try stage.join("bo")
        var json: [UInt8] = [UInt8(ascii: "{")]
        stage.room.state().append(to: &json, self: stage.room.listed(1))
        json.append(UInt8(ascii: "}"))
        let state = try JSONReader(json)
        #expect(keys(state) == ["roomId", "room", "self", "participants", "elements", "seq"])
        #expect(state["seq"]?.int == 3 && state["room"]?["id"]?.string == "lounge")
        let participant = ["roomId", "userId", "user", "color", "joinedAt", "slot", "isActive"]
        #expect(keys(state["self"]) == participant && state["self"]?["userId"]?.string == "bo")
        let participants = try #require(state["participants"]?.items)
        #expect(participants.map { $0["userId"]?.string } == [awkward, "bo"])
        #expect(participants.allSatisfy { keys($0) == participant && $0["isActive"]?.bool == true })
        #expect(state["elements"]?.items?.count == 1)
    }

    @Test("Colours differ among the first dozen")
    func colors() throws {
        var stage = Stage()
        let watcher = try stage.join("w")
        for index in 1..<12 { try stage.join("p\(index)") }
        let colors = try stage.texts(watcher).map { try argument($0, of: "user:joined")?["color"]?.string }
        #expect(Set(colors).count == 11)
    }

    @Test("Times are written as Foundation reads them, from 1970 to 9999")
    func moments() throws {
        let formatter = ISO8601DateFormatter()
        var seconds: Int64 = 0
        var checked = 0
        while seconds < 253_402_300_800 {
            for offset in [0, 1, 59, 3_599, 86_399] as [Int64] {
                var bytes: [UInt8] = []
                Moment.append(seconds + offset, to: &bytes)
                let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds + offset)))
                #expect(String(decoding: bytes, as: UTF8.self) == expected)
                checked += 1
            }
            // A prime number of days, so that all days of the year come up.
            seconds += 86_400 * 499
        }
        #expect(checked == 29_390)
    }

    @Test("Each day of the leap cycle is right, and times before 1970 do not trap")
    func leapDays() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        for year in [1972, 1999, 2000, 2024, 2025, 2100, 2400] {
            for (month, day) in [(1, 1), (2, 28), (2, 29), (3, 1), (12, 31)] {
                guard let date = calendar.date(from: DateComponents(year: year, month: month, day: day)) else {
                    continue
                }
                var bytes: [UInt8] = []
                Moment.append(Int64(date.timeIntervalSince1970), to: &bytes)
                #expect(String(decoding: bytes, as: UTF8.self) == date.ISO8601Format())
            }
        }
        for seconds in [-1, -86_401, Int64.min] as [Int64] {
            var bytes: [UInt8] = []
            Moment.append(seconds, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "1970-01-01T00:00:00Z")
        }
    }
}

@Suite("Frames")
struct FrameTests {
    @Test("Texts of all lengths come out of a run of frames as they went in")
    func lengths() {
        var bytes: [UInt8] = []
        let lengths = [0, 1, 100, 115, 116, 117, 118, 119, 120, 121, 122, 123, 65_520, 65_526, 65_530, 65_536, 70_000]
        for length in lengths {
            EventFrame.append("n", to: &bytes) {
                $0.append(contentsOf: repeatElement(UInt8(ascii: "7"), count: length))
            }
        }
        let texts = Stage.texts(bytes)
        #expect(texts.map(\.utf8.count) == lengths.map { $0 + 7 })
        for (text, length) in zip(texts, lengths) {
            #expect(text.hasPrefix("2[\"n\",") && text.hasSuffix("]") && text.filter { $0 == "7" }.count == length)
        }
        var second = FrameTexts(bytes)
        let first = second.next()
        let next = second.next()
        #expect(first == 3..<10 && next == 13..<21)
        #expect(Array(FrameTexts(bytes, 10..<21)) == [13..<21])
        #expect(Array(FrameTexts([])).isEmpty)
    }

    @Test("Headers are the shortest that fit")
    func headers() {
        for length in [0, 117, 118, 119, 65_527, 65_528, 65_529, 80_000] {
            var bytes: [UInt8] = []
            EventFrame.append("n", to: &bytes) {
                $0.append(contentsOf: repeatElement(UInt8(ascii: "7"), count: length))
            }
            let payload = length + 8
            let header = WebSocketFrame.headerLength(for: payload)
            #expect(bytes.count == header + payload && bytes[0] == 0x81)
            var expected: [UInt8] = []
            WebSocketFrame.appendHeader(opcode: .text, payloadLength: payload, into: &expected)
            #expect(Array(bytes[..<header]) == expected)
        }
    }
}
