import Testing
import Wire

@testable import Rooms

@Suite("Touches")
struct TouchTests {
    @Test("Of a tick's positions only the newest is sent, and not to the mover")
    func coalesced() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        _ = stage.texts(ada)
        for x in 1...100 { try stage.move(ada, x) }
        try stage.move(bo, 7)
        stage.tick()
        #expect(stage.summary(bo) == ["touch:moved 100"])
        #expect(stage.summary(ada) == ["touch:moved 7"])
        #expect(stage.summary(ada) == [])
    }

    @Test("No connection of the mover gets the echo")
    func echo() throws {
        var stage = Stage()
        let phone = try stage.join("ada")
        let tablet = try stage.join("ada")
        try stage.move(phone, 1)
        stage.tick()
        #expect(stage.summary(phone) == [] && stage.summary(tablet) == [])
    }

    @Test("A touch's end carries the last position and is not overtaken")
    func end() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        try stage.move(ada, 1)
        stage.tick()
        try stage.move(ada, 2)
        try stage.room.endTouch(of: ada)
        try stage.move(ada, 3)
        stage.tick()
        #expect(stage.summary(bo) == ["touch:moved 2", "touch:ended", "touch:moved 3"])
        #expect(stage.summary(ada) == ["user:joined"])
    }

    @Test("An end without a touch says nothing, nor does a second one")
    func endTwice() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        try stage.room.endTouch(of: ada)
        #expect(!stage.room.isDirty)
        try stage.move(ada, 1)
        try stage.room.endTouch(of: ada)
        stage.tick()
        try stage.room.endTouch(of: ada)
        #expect(!stage.room.isDirty)
    }

    @Test("Leaving and losing the connection end a touch", arguments: [true, false])
    func leaving(isLoss: Bool) throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        try stage.move(ada, 4)
        if isLoss { stage.room.lose(ada, at: stage.now) } else { try stage.room.leave(ada) }
        stage.tick()
        #expect(stage.summary(bo) == ["touch:moved 4", "touch:ended"] + (isLoss ? [] : ["user:left"]))
        let late = try stage.join("cy")
        #expect(stage.summary(late) == [])
    }

    /// The touch of a lost device stayed on all screens while its user had another device.
    @Test("A touch ends with its device, though its person stays with another; another device's goes on")
    func device() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let phone = try stage.join("ada")
        let tablet = try stage.join("ada")
        let third = try stage.join("ada")
        _ = stage.texts(watcher)
        try stage.move(phone, 1)
        stage.room.lose(phone, at: stage.now)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 1", "touch:ended"])
        try stage.move(tablet, 2)
        stage.room.lose(third, at: stage.now)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 2"])
    }

    /// In a cluster an earlier device may be a connection that the user has lost, which is heard of late.
    @Test("The end of an earlier device's touch does not end a later device's, which is seen again")
    func laterDevice() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let devices = try (0..<3).map { _ in try stage.join("ada") }
        _ = stage.texts(watcher)
        for (index, device) in devices.enumerated().reversed() { try stage.move(device, index) }
        let places = devices.map { stage.room.touch(of: $0).map { String(decoding: $0.x, as: UTF8.self) } }
        #expect(places == ["0", "1", "2"])
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 0"])
        // One that is not seen says nothing.
        try stage.room.endTouch(of: devices[1])
        #expect(!stage.room.isDirty)
        try stage.room.leave(devices[0])
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 0", "touch:ended", "touch:moved 2"])
        try stage.room.endTouch(of: devices[1])
        #expect(!stage.room.isDirty)
        try stage.room.endTouch(of: devices[2])
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 2", "touch:ended"])
    }

    @Test("A later device's touch replaces an earlier one's")
    func earlierDevice() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let (phone, tablet) = (try stage.join("ada"), try stage.join("ada"))
        _ = stage.texts(watcher)
        try stage.move(phone, 1)
        try stage.move(tablet, 2)
        try stage.room.endTouch(of: tablet)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 2", "touch:ended"])
        #expect(stage.room.positions.isEmpty)
    }

    @Test("A later member gets the positions of all current touches")
    func current() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        try stage.move(ada, 1)
        try stage.move(bo, 2)
        stage.tick()
        for _ in 0..<3 {
            try stage.move(bo, 3)
            stage.tick()
        }
        let cy = try stage.join("cy")
        #expect(stage.summary(cy) == ["touch:moved 1", "touch:moved 3"])
        let elsewhere = RoomReplica(stage.room.snapshot(), seq: stage.room.lastSeq, logBytesMax: 100)
        stage.replica = elsewhere
        stage.replica.add(cy, slot: 2)
        #expect(stage.summary(cy) == ["touch:moved 1", "touch:moved 3"])
    }

    @Test("A slow reader gets the newest position of each, never one that it has had")
    func slow() throws {
        var stage = Stage()
        let slow = try stage.join("slow")
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        try stage.move(ada, 1)
        try stage.move(bo, 1)
        stage.tick()
        _ = stage.texts(slow)
        for x in 2...50 {
            try stage.move(ada, x)
            stage.tick()
        }
        #expect(stage.summary(slow) == ["touch:moved 50"])
    }

    @Test("Short and long frames, growing and shrinking, are whole", arguments: [1, 20, 60, 200, 70_000])
    func lengths(idLength: Int) throws {
        var stage = Stage()
        let ada = try stage.join(String(repeating: "a", count: idLength))
        let bo = try stage.join("bo")
        for length in [1, 15, 30, 3, 80, 2] {
            let y = "0." + String(repeating: "7", count: length)
            let element = "\"" + String(repeating: "e", count: length) + "\""
            for (element, tail) in [("", ""), (element, ",\"elementId\":\(element)")] {
                try stage.move(ada, length, y: y, element: element)
                stage.tick()
                let text = try #require(stage.texts(bo).last)
                #expect(text.hasSuffix("\"x\":\(length),\"y\":\(y)\(tail)}]"))
                #expect(try argument(text, of: "touch:moved")?["x"]?.int == length)
            }
        }
    }

    @Test("Ends do not pile up: what was moved and ended often in a tick is told in order")
    func often() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        for x in 1...3 {
            try stage.move(ada, x)
            try stage.room.endTouch(of: ada)
        }
        stage.tick()
        #expect(stage.summary(bo) == (1...3).flatMap { ["touch:moved \($0)", "touch:ended"] })
        let late = try stage.join("cy")
        #expect(stage.summary(late) == [])
    }

    @Test("A batch has all movers of a tick, also its reader; for a member that was behind it has all movers since")
    func batch() throws {
        var stage = Stage()
        let ada = try stage.join("ada", form: .batches)
        let bo = try stage.join("bo")
        _ = stage.texts(ada)
        try stage.move(ada, 1)
        try stage.move(bo, 2, element: "\"e\"")
        stage.tick()
        let text = try #require(stage.texts(ada).first)
        let batch = try #require(try argument(text, of: "touch:batch"))
        #expect(keys(batch) == ["roomId", "tick", "touches"] && batch["roomId"]?.string == "lounge")
        #expect(batch["tick"]?.int == Int(stage.replica.lastTick))
        #expect(batch["touches"].map { String(decoding: $0.json, as: UTF8.self) } == #"[[0,1,0.5],[1,2,0.5,"e"]]"#)
        #expect(stage.summary(bo) == ["touch:moved 1"])
        for x in 3...5 {
            try stage.move(bo, x)
            stage.tick()
        }
        let later = try #require(try argument(stage.texts(ada)[0], of: "touch:batch"))
        #expect(later["touches"].map { String(decoding: $0.json, as: UTF8.self) } == "[[1,5,0.5]]")
        try stage.room.endTouch(of: bo)
        stage.tick()
        #expect(stage.summary(ada) == ["touch:moved 5", "touch:ended"])
        stage.replica.remove(ada)
        try stage.move(bo, 6)
        stage.tick()
        #expect(stage.encodesOneForm)
    }
}
