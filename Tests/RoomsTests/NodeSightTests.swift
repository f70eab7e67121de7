import Testing
import Wire

@testable import Rooms

/// What another node is told of a room.
@Suite("What a node sees")
struct NodeSightTests {
    @Test(
        "A node is told of touches within what its members see, of the first position outside, and of all who are there"
    )
    func nodes() throws {
        var stage = Stage()
        let (ada, bob) = (try stage.join("ada"), try stage.join("bob"))
        try stage.move(ada, 5)
        try stage.move(bob, 9_000)
        _ = stage.room.takeDelta()
        var sight = NodeSight(stage.room)
        func told() -> [String] {
            guard let delta = stage.room.takeDelta() else { return ["nothing"] }
            let taken = sight.take(delta, of: stage.room)
            return taken.touches.map { touch in
                let text = Stage.texts(Array(taken.frames[touch.frame])).first.map(Stage.summary) ?? ""
                return text + (taken.away.contains(touch.slot) ? " away" : "")
            }
        }
        sight.see(SquareSet([ViewArea(x: 0, y: 0, width: 800, height: 600)]))
        stage.room.tickAnyway()
        #expect(told() == ["touch:moved 9000 away"])
        try stage.move(bob, 9_001)
        try stage.move(ada, 6)
        #expect(told() == ["touch:moved 6"])
        try stage.move(bob, 9_002)
        #expect(told() == [])
        try stage.move(bob, 20)
        try stage.move(ada, 9_003)
        #expect(told() == ["touch:moved 20", "touch:moved 9003 away"])
        sight.see(SquareSet([ViewArea(x: 8_900, y: 0, width: 800, height: 600)]))
        stage.room.tickAnyway()
        #expect(told() == ["touch:moved 9003", "touch:moved 20 away"])
        #expect(!sight.isOver)
        sight.see(nil)
        stage.room.tickAnyway()
        #expect(told() == ["touch:moved 20"])
        #expect(sight.isOver)
    }

    @Test("A node that is late gets the log alone, and then the newest position of everybody who has moved")
    func lateNodes() throws {
        var stage = Stage()
        let (ada, bob, eve) = (try stage.join("ada"), try stage.join("bob"), try stage.join("eve"))
        try stage.move(ada, 5)
        try stage.move(bob, 9_000)
        try stage.move(eve, 7)
        _ = stage.room.takeDelta()
        var sight = NodeSight(stage.room)
        func told(isLate: Bool = false) throws -> [String] {
            let next = stage.room.takeDelta()
            let delta = try #require(next)
            let taken = sight.take(delta, of: stage.room, isLate: isLate)
            #expect(taken.entries == delta.entries && taken.tick == delta.tick)
            return taken.touches.map { touch in
                let text = Stage.texts(Array(taken.frames[touch.frame])).first.map(Stage.summary) ?? ""
                return text + (taken.away.contains(touch.slot) ? " away" : "")
            }
        }
        try stage.move(ada, 6)
        try stage.move(bob, 8)
        #expect(try told(isLate: true) == [])
        #expect(sight.isOwed && !sight.isOver)
        try stage.move(ada, 10)
        try stage.room.endTouch(of: bob)
        #expect(try told(isLate: true) == [])
        stage.room.tickAnyway()
        #expect(try told() == ["touch:moved 10"])
        #expect(!sight.isOwed && sight.isOver)
        // Who has left the squares meanwhile is told once.
        sight.see(SquareSet([ViewArea(x: 0, y: 0, width: 800, height: 600)]))
        try stage.move(ada, 9_001)
        #expect(try told(isLate: true) == [])
        try stage.move(ada, 9_002)
        #expect(try told() == ["touch:moved 9002 away"])
        // Its members see everything again while it is late, and nobody moves.
        sight.see(nil)
        stage.room.tickAnyway()
        #expect(try told(isLate: true) == [])
        #expect(sight.isOwed && !sight.isOver)
        stage.room.tickAnyway()
        #expect(try told() == ["touch:moved 9002"])
        #expect(!sight.isOwed && sight.isOver)
    }
}
