import Testing
import Wire

@testable import Rooms

/// Members with binary ticks beside members with single events, in the same room.
@Suite("Binary ticks of a room")
struct TickStreamTests {
    /// What a member knows of the others' touches, in either form.
    private struct View {
        struct Place: Equatable {
            var x: Double
            var y: Double
            var elementID: String?
        }

        let connection: ConnectionID
        let form: DeliveryForm
        let slot: Int
        var places: [Int: Place] = [:]
        var ticks = TickDecoder()
        var newest: UInt64 = 0
        var byteCount = 0
        var absoluteCount = 0

        mutating func take(_ frames: [UInt8], slots: [String: Int]) throws {
            for (content, isBinary) in FrameMessages(frames) {
                let bytes = Array(frames[content])
                if isBinary {
                    try takeTick(bytes)
                } else {
                    try takeText(bytes, slots)
                }
            }
        }

        private mutating func takeTick(_ bytes: [UInt8]) throws {
            byteCount += bytes.count
            let header = try ticks.decode(bytes.span) { touch in
                let id = touch.elementID.flatMap { (try? JSON.validate($0.span))?.string(in: $0.span) }
                places[touch.slot] = Place(x: touch.x, y: touch.y, elementID: id)
            }
            #expect(header.tick > newest && header.decimals == form.decimals && header.interval == 25)
            newest = header.tick
            if header.isAbsolute { absoluteCount += 1 }
        }

        private mutating func takeText(_ bytes: [UInt8], _ slots: [String: Int]) throws {
            guard bytes.first == UInt8(ascii: "2") else { return }
            let items = try JSONReader(Array(bytes.dropFirst())).items ?? []
            guard let name = items[0].string, let user = items[1]["userId"]?.string, let slot = slots[user] else {
                return
            }
            switch name {
            case "touch:moved":
                guard let x = items[1]["x"]?.double, let y = items[1]["y"]?.double else { return }
                places[slot] = Place(x: x, y: y, elementID: items[1]["elementId"]?.string)
            case "touch:ended", "user:left": places[slot] = nil
            default: break
            }
        }
    }

    /// All that the stage may do in a random order.
    private struct Play {
        var stage = Stage()
        var views: [View] = []
        var movers: [ConnectionID] = []
        /// Also of those who have left: a slow member is told late of their end.
        var slots: [String: Int] = [:]
        var random: SeededNumbers
        private var names = 0

        init(seed: UInt64) { random = SeededNumbers(state: seed) }

        mutating func join(form: DeliveryForm) throws {
            names += 1
            let (name, connection) = ("p\(names)", stage.newConnection())
            let joined = try stage.room.join(connection, Stage.person(name), at: stage.now)
            slots[name] = joined.slot
            tick()
            stage.replica.add(connection, slot: joined.slot, form: form)
            movers.append(connection)
            views.append(View(connection: connection, form: form, slot: joined.slot))
        }

        mutating func leave(_ index: Int) throws {
            let view = views.remove(at: index)
            movers.removeAll { $0 == view.connection }
            try stage.room.leave(view.connection)
            tick()
            stage.replica.remove(view.connection)
        }

        mutating func move(_ connection: ConnectionID) throws {
            let numbers = ["0", "-0.5", "1e2", "12.34567", "-1234.5", "0.00005", "99999.99995", "1e15", "-7e300", "3"]
            let x = random.percent(70) ? "\(Int(random.next() % 4_000)).\(random.next() % 100)" : random.pick(numbers)
            let y =
                random.percent(70) ? "-\(Int(random.next() % 400)).\(random.next() % 100_000)" : random.pick(numbers)
            let element = random.percent(40) ? random.pick([#""a""#, #""b""#, #""é \"c\"""#, #""\u0064""#]) : ""
            try stage.room.moveTouch(
                of: connection, x: Array(x.utf8).span, y: Array(y.utf8).span, elementID: Array(element.utf8).span)
        }

        mutating func tick() {
            if let delta = stage.room.takeDelta(interval: 25) { stage.replica.apply(delta) }
        }

        mutating func deliver(_ index: Int) throws {
            let frames = stage.frames(views[index].connection)
            try views[index].take(try #require(frames), slots: slots)
        }
    }

    /// Whether a position is another one, rounded to so many decimals.
    private static func isRounded(_ place: View.Place, _ exact: View.Place, _ decimals: Int) -> Bool {
        let half = 0.5 / [1.0, 10, 100, 1_000, 10_000][decimals]
        func isNear(_ rounded: Double, _ number: Double) -> Bool { abs(rounded - number) <= half + abs(number) * 1e-15 }
        return isNear(place.x, exact.x) && isNear(place.y, exact.y) && place.elementID == exact.elementID
    }

    @Test("Both forms tell the same positions, within a quantum, whoever is slow, comes and goes", arguments: 0..<40)
    func differential(seed: Int) throws {
        var play = Play(seed: UInt64(seed + 1))
        let forms: [DeliveryForm] = [
            [], .ticks(decimals: 0), .ticks(decimals: 1), .ticks(decimals: 3), .ticks(decimals: 4),
        ]
        for form in forms { try play.join(form: form) }
        for _ in 0..<200 {
            for _ in 0..<play.random.next() % 4 { try play.move(play.random.pick(play.movers)) }
            if play.random.percent(10) { try play.stage.room.endTouch(of: play.random.pick(play.movers)) }
            if play.random.percent(4), play.views.count < 12 { try play.join(form: play.random.pick(forms)) }
            if play.random.percent(3), play.views.count > 5 {
                try play.leave(Int(play.random.next() % UInt64(play.views.count)))
            }
            play.tick()
            for index in play.views.indices where play.random.percent(60) { try play.deliver(index) }
        }
        for index in play.views.indices { try play.deliver(index) }
        try compare(play)
    }

    private func compare(_ play: Play) throws {
        for one in play.views where one.form.contains(.ticks) {
            for other in play.views where !other.form.contains(.ticks) {
                // Single events leave out a member's own touch, and the end of an own touch is told to neither.
                let leftOut = [one.slot, other.slot]
                let single = other.places.filter { !leftOut.contains($0.key) }
                let binary = one.places.filter { !leftOut.contains($0.key) }
                #expect(binary.keys.sorted() == single.keys.sorted())
                for (slot, place) in binary {
                    let exact = try #require(single[slot])
                    #expect(Self.isRounded(place, exact, one.form.decimals), "\(place) for \(exact)")
                }
            }
        }
    }

    @Test("All members that keep up get the same bytes in one piece, also who moves")
    func shared() throws {
        var play = Play(seed: 1)
        for _ in 0..<5 { try play.join(form: .ticks(decimals: 1)) }
        for index in play.views.indices { try play.deliver(index) }
        for mover in play.movers { try play.move(mover) }
        play.tick()
        let shares = play.views.map { view in
            play.stage.replica.index(of: view.connection).flatMap { play.stage.replica.newest($0) }
        }
        let pieces = try shares.map { play.stage.replica.forms.pieces(of: try #require($0)) }
        #expect(pieces.allSatisfy { $0.count == 1 && $0[0] == pieces[0][0] })
    }

    @Test("A touch that goes on takes four bytes, and nothing for its element")
    func size() throws {
        var play = Play(seed: 1)
        for _ in 0..<50 { try play.join(form: .ticks(decimals: 1)) }
        for step in 0..<20 {
            if step == 10 { for index in play.views.indices { play.views[index].byteCount = 0 } }
            for (index, mover) in play.movers.enumerated() {
                try play.stage.move(
                    mover, 1_000 * index + 20 * step, y: "\(30 * step).5", element: "\"element \(index)\"")
            }
            play.tick()
            for index in play.views.indices { try play.deliver(index) }
        }
        for view in play.views {
            #expect(view.byteCount <= 10 * (50 * 4 + 8), "\(view.byteCount) bytes in ten ticks")
            #expect(view.absoluteCount <= 1)
        }
    }

    @Test("An element's id is told once, however many touch it, and again when nobody has touched it in between")
    func elements() throws {
        var elements = TickElements()
        let (one, two) = (Array("\"one\"".utf8), Array("\"two\"".utf8))
        #expect(elements.use(one.span) == .new(0, one) && elements.use(one.span) == .known(0))
        #expect(elements.use(two.span) == .new(1, two))
        elements.release(0)
        #expect(elements.use(one.span) == .known(0))
        elements.release(0)
        elements.release(0)
        #expect(elements.use(two.span) == .known(1))
        // The index of the one that is gone stands for the next.
        let three = Array("\"three\"".utf8)
        #expect(elements.use(three.span) == .new(0, three) && elements.use(one.span) == .new(2, one))
    }
}
