import Testing
import Wire

@testable import Rooms

/// Members that see a part of a room, in each form, beside the room itself.
@Suite("Views")
struct ViewTests {
    /// What a member knows of touches within its view.
    private struct Seen {
        let connection: ConnectionID
        let form: DeliveryForm
        let slot: Int
        var area: ViewArea
        var places: [Int: Place] = [:]
        var ticks = TickDecoder()
        var wholeCount = 0

        mutating func take(_ frames: [UInt8], _ slots: [String: Int]) throws {
            for (content, isBinary) in FrameMessages(frames) {
                let bytes = Array(frames[content])
                if isBinary { try takeTick(bytes) } else { try takeText(bytes, slots) }
            }
        }

        private mutating func begin(isWhole: Bool) {
            guard isWhole else { return }
            places = [:]
            wholeCount += 1
        }

        private mutating func takeTick(_ bytes: [UInt8]) throws {
            var touches: [TickDecoder.Touch] = []
            let header = try ticks.decode(bytes.span) { touches.append($0) }
            #expect(header.isOfView && header.decimals == form.decimals)
            begin(isWhole: header.isAbsolute)
            for touch in touches {
                let id = touch.elementID.flatMap { (try? JSON.validate($0.span))?.string(in: $0.span) }
                places[touch.slot] = touch.leaves ? nil : Place(x: touch.x, y: touch.y, elementID: id)
            }
        }

        private mutating func takeText(_ bytes: [UInt8], _ slots: [String: Int]) throws {
            guard bytes.first == UInt8(ascii: "2") else { return }
            let items = try JSONReader(Array(bytes.dropFirst())).items ?? []
            let argument = items[1]
            switch try #require(items[0].string) {
            case "view:all": begin(isWhole: true)
            case "touch:batch":
                begin(isWhole: argument["all"]?.bool == true)
                for tuple in argument["left"]?.items ?? [] {
                    places[try #require((tuple.items?.first?.int).map { Int($0) })] = nil
                }
                for tuple in try #require(argument["touches"]?.items) {
                    let values = tuple.items ?? []
                    places[try #require((values[0].int).map { Int($0) })] = Place(
                        x: values[1].double ?? .nan, y: values[2].double ?? .nan,
                        elementID: values.count > 3 ? values[3].string : nil)
                }
            case "touch:moved":
                let slot = try #require(argument["userId"]?.string.flatMap { slots[$0] })
                places[slot] = Place(
                    x: argument["x"]?.double ?? .nan, y: argument["y"]?.double ?? .nan,
                    elementID: argument["elementId"]?.string)
            case "touch:left", "touch:ended", "user:left":
                places[try #require(argument["userId"]?.string.flatMap { slots[$0] })] = nil
            default: break
            }
        }
    }

    private struct Place: Equatable {
        var x: Double
        var y: Double
        var elementID: String?

        func isRounded(_ exact: Place, _ decimals: Int) -> Bool {
            let half = 0.5 / [1.0, 10, 100, 1_000, 10_000][decimals]
            func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= half + abs(other) * 1e-15 }
            return isNear(x, exact.x) && isNear(y, exact.y) && elementID == exact.elementID
        }
    }

    private struct Play {
        var stage = Stage()
        /// What the replica is told if it is on another node, which asks for what the members see.
        var sight: NodeSight?
        /// How many touches it was told, and how many there were.
        var told = (touches: 0, ofAll: 0)
        private let isNode: Bool
        var members: [Seen] = []
        var movers: [ConnectionID] = []
        var slots: [String: Int] = [:]
        var random: SeededNumbers
        private var names = 0

        init(seed: UInt64, isNode: Bool = false) {
            random = SeededNumbers(state: seed)
            self.isNode = isNode
        }

        /// The node is told of what its members see; while one enters, of everything.
        private mutating func see(_ squares: SquareSet?) {
            guard isNode, squares != nil || sight != nil else { return }
            if sight == nil { sight = NodeSight(stage.room) }
            sight?.see(squares)
            stage.room.tickAnyway()
        }

        private mutating func seeWhatMembersSee() { see(SquareSet(members.map(\.area))) }

        mutating func join(_ form: DeliveryForm) throws {
            see(nil)
            names += 1
            let (name, connection) = ("p\(names)", stage.newConnection())
            let slot = try stage.room.join(connection, Stage.person(name), at: stage.now).slot
            slots[name] = slot
            tick()
            stage.replica.add(connection, slot: slot, form: form)
            movers.append(connection)
            members.append(Seen(connection: connection, form: form, slot: slot, area: .everything))
            try look(members.count - 1)
            seeWhatMembersSee()
        }

        mutating func leave(_ index: Int) throws {
            let member = members.remove(at: index)
            movers.removeAll { $0 == member.connection }
            try stage.room.leave(member.connection)
            tick()
            stage.replica.remove(member.connection)
        }

        /// A member looks elsewhere.
        mutating func look(_ index: Int) throws {
            var area = ViewArea.everything
            if random.percent(90) {
                let side = random.pick([0.25, 3, 40, 600, 601, 800, 1_000, 1_200, 2_400, 5_000, 40_000, 1e6])
                area = ViewArea(
                    x: Double(random.next() % 4_000) - side / 2, y: -Double(random.next() % 4_000) - side / 2,
                    width: side, height: side * random.pick([0.01, 0.5, 1]))
            }
            let place = try #require(stage.replica.index(of: members[index].connection))
            let told = stage.replica.setView(place, area)
            #expect(told.x <= area.x && told.x + told.width >= area.x + area.width || area == .everything)
            #expect(told.y <= area.y && told.y + told.height >= area.y + area.height || area == .everything)
            members[index].area = told
            if random.percent(50) || members.count < 6 { seeWhatMembersSee() }
        }

        mutating func move(_ connection: ConnectionID) throws {
            let numbers = ["0", "-0.5", "1e2", "-1234.5", "99999.99995", "1e15", "-7e300", "3"]
            let x = random.percent(90) ? "\(Int(random.next() % 4_000)).\(random.next() % 100)" : random.pick(numbers)
            let y =
                random.percent(90) ? "-\(Int(random.next() % 4_000)).\(random.next() % 1_000)" : random.pick(numbers)
            let element = random.percent(40) ? random.pick([#""a""#, #""b""#, #""é \"c\"""#, #""\u0064""#]) : ""
            try stage.room.moveTouch(
                of: connection, x: Array(x.utf8).span, y: Array(y.utf8).span, elementID: Array(element.utf8).span)
        }

        mutating func tick() {
            guard let delta = stage.room.takeDelta(interval: 25) else { return }
            let taken = sight?.take(delta, of: stage.room) ?? delta
            if sight?.isOver == true { sight = nil }
            told = (told.touches + taken.touches.count, told.ofAll + delta.touches.count)
            stage.replica.apply(taken)
        }

        /// The node's home has been told what members see by now.
        mutating func settle() throws {
            seeWhatMembersSee()
            tick()
            for index in members.indices { try deliver(index) }
        }

        mutating func deliver(_ index: Int) throws {
            let frames = stage.frames(members[index].connection)
            try members[index].take(try #require(frames), slots)
        }

        /// Everybody's place, by slot.
        var places: [Int: Place] {
            var places: [Int: Place] = [:]
            for position in stage.room.positions {
                let id = (try? JSON.validate(position.elementID.span))?.string(in: position.elementID.span)
                places[position.slot] = Place(
                    x: JSON.double(position.x.span), y: JSON.double(position.y.span), elementID: id)
            }
            return places
        }
    }

    private static let forms: [DeliveryForm] = [
        [], .batches, .ticks(decimals: 0), .ticks(decimals: 1), .ticks(decimals: 4), [.offsets],
    ]

    @Test("A member knows just the touches within what it was told that it sees, whoever is slow", arguments: 0..<40)
    func differential(seed: Int) throws { try run(Play(seed: UInt64(seed + 1))) }

    @Test("So does a member on a node that is told only of what its members see", arguments: 0..<40)
    func differentialOfNodes(seed: Int) throws { try run(Play(seed: UInt64(seed + 1), isNode: true)) }

    private func run(_ start: Play) throws {
        var play = start
        for form in Self.forms { try play.join(form) }
        for step in 0..<200 {
            for _ in 0..<play.random.next() % 6 { try play.move(play.random.pick(play.movers)) }
            if play.random.percent(10) { try play.stage.room.endTouch(of: play.random.pick(play.movers)) }
            if play.random.percent(6), play.members.count < 20 { try play.join(play.random.pick(Self.forms)) }
            if play.random.percent(3), play.members.count > 6 {
                try play.leave(Int(play.random.next() % UInt64(play.members.count)))
            }
            if play.random.percent(20) { try play.look(Int(play.random.next() % UInt64(play.members.count))) }
            play.tick()
            for index in play.members.indices where play.random.percent(60) { try play.deliver(index) }
            guard step % 20 == 19 else { continue }
            try play.settle()
            for member in play.members { try compare(member, play.places) }
            #expect(play.stage.replica.views.grids.count <= ReplicaViews.gridsMax + 1)
        }
    }

    private func compare(_ member: Seen, _ places: [Int: Place]) throws {
        let area = member.area
        let isEverything = area.width >= ViewArea.numberMax
        func isWithin(_ place: Place) -> Bool {
            isEverything
                || place.x >= area.x && place.x < area.x + area.width && place.y >= area.y
                    && place.y < area.y + area.height
        }
        // The end of an own touch is not told, nor, in single events, an own touch.
        let wanted = places.filter { $0.key != member.slot && isWithin($0.value) }
        let known = member.places.filter { $0.key != member.slot }
        #expect(known.keys.sorted() == wanted.keys.sorted())
        for (slot, place) in known {
            guard let exact = wanted[slot] else { continue }
            let isSame = member.form.contains(.ticks) ? place.isRounded(exact, member.form.decimals) : place == exact
            #expect(isSame, "\(place) for \(exact)")
        }
    }

    @Test("A member that keeps up is told who moves in its view, who comes, and who leaves it with the new position")
    func keepsUp() throws {
        var stage = Stage()
        let (ada, bob) = (try stage.join("ada"), try stage.join("bob"))
        let index = try #require(stage.replica.index(of: ada))
        #expect(
            stage.replica.setView(index, ViewArea(x: 0, y: 0, width: 8, height: 8))
                == ViewArea(x: 0, y: 0, width: 9, height: 9))
        #expect(stage.summary(ada) == ["user:joined", "view:all"])
        func told(after x: Int) throws -> [String] {
            try stage.move(bob, x)
            stage.tick()
            return stage.summary(ada)
        }
        #expect(try told(after: 100) == [])
        #expect(try told(after: 5) == ["touch:moved 5"])
        #expect(try told(after: 5) == ["touch:moved 5"])
        #expect(try told(after: 7) == ["touch:left 7", "touch:moved 7"])
        #expect(try told(after: 40) == ["touch:left 40"])
        #expect(try told(after: 41) == [])
        try stage.room.endTouch(of: bob)
        stage.tick()
        #expect(stage.summary(ada) == ["touch:moved 41", "touch:ended"])
    }

    @Test("A view of everything in squares is told what a member without a view is told")
    func everything() throws {
        var stage = Stage()
        let forms: [DeliveryForm] = [[], .batches]
        let plain = try forms.map { try stage.join("plain \($0.rawValue)", form: $0) }
        let seeing = try forms.map { try stage.join("seeing \($0.rawValue)", form: $0) }
        let bob = try stage.join("bob")
        for member in seeing { stage.replica.setView(try #require(stage.replica.index(of: member)), .everything) }
        for member in plain + seeing { _ = stage.deliver(member) }
        for step in 0..<10 {
            try stage.move(bob, 3 + step)
            stage.tick()
            for (one, other) in zip(plain, seeing) {
                let (texts, seen) = (stage.texts(one), stage.texts(other))
                #expect(texts == seen && texts.count == 1)
            }
        }
    }

    @Test("What is told of a touch is encoded once for all members that see it, whatever else they see")
    func shared() throws {
        var stage = Stage()
        let members = try (0..<40).map { try stage.join("m\($0)", form: .ticks(decimals: 0)) }
        for (index, member) in members.enumerated() {
            let area = ViewArea(x: Double(index), y: 0, width: 60, height: 60)
            stage.replica.setView(try #require(stage.replica.index(of: member)), area)
        }
        for member in members { _ = stage.deliver(member) }
        for (index, member) in members.enumerated() { try stage.move(member, index * 2) }
        stage.tick()
        for member in members { #expect(stage.frames(member)?.isEmpty == false) }
        #expect(stage.replica.views.grids.count == 1)
        #expect(stage.replica.views.grids.first?.memberCount == 40)
        // Nobody gets the whole tick, so it is not encoded.
        #expect(stage.encodesOneForm)
        for member in members { stage.replica.remove(member) }
        #expect(stage.replica.views.grids.isEmpty)
    }

    @Test("Views of more sizes than there are grids get larger squares, and far larger ones the largest")
    func bounds() throws {
        var stage = Stage()
        let members = try (0..<12).map { try stage.join("m\($0)") }
        var told: [ViewArea] = []
        for (index, member) in members.enumerated() {
            let side = index < 8 ? Double(8 << (index + 4)) : index < 10 ? 1 : 1e9
            let area = ViewArea(x: 0, y: 0, width: side, height: side)
            told.append(stage.replica.setView(try #require(stage.replica.index(of: member)), area))
        }
        #expect(stage.replica.views.grids.count == ReplicaViews.gridsMax + 1)
        #expect(told[8].width == 16 && told[9].width == 16)
        #expect(told[11].width > 1e9)
    }

    @Test("A caret that has ended is told to a member that has looked elsewhere before it was told")
    func caretsAfterLooking() throws {
        var stage = Stage()
        let (ada, bob) = (try stage.join("ada", form: .edits), try stage.join("bob", form: .edits))
        let note = try stage.create(bob, id: "n1", content: "text")
        try stage.room.setCaret(Caret(elementID: note.id, position: 1, anchor: nil, version: nil), of: bob)
        stage.tick()
        #expect(stage.summary(ada).last == "element:caret")
        try stage.room.setCaret(nil, of: bob)
        stage.tick()
        stage.replica.setView(try #require(stage.replica.index(of: ada)), ViewArea(x: 0, y: 0, width: 1, height: 1))
        #expect(stage.summary(ada) == ["element:caret", "view:all"])
    }

    @Test("A node's squares are bounded in number, however much its members see")
    func squaresOfNodes() throws {
        let areas = (0..<2_000).map {
            ViewArea(x: Double($0) * 1_000, y: Double($0 % 45) * 700, width: 800, height: 600)
        }
        let squares = SquareSet(areas)
        #expect(squares.squares.count <= SquareSet.countMax)
        let grid = CellGrid(level: squares.level)
        for area in areas {
            #expect(squares.contains(TickPoint(x: area.x, y: area.y), in: grid))
            #expect(squares.contains(TickPoint(x: area.x + 799, y: area.y + 599), in: grid))
        }
        #expect(
            SquareSet([.everything]).contains(
                TickPoint(x: -1e300, y: 3), in: CellGrid(level: SquareSet([.everything]).level)))
    }
}
