import RoomsClient

/// A visit to a room: keys go out, and what the room looks like comes to the screen.
struct Visit {
    private static let columns = 60
    private static let rows = 18

    /// The canvas as bots and the guide use it.
    private static let width = 1_200.0
    private static let height = 800.0

    private let client: RoomsClient
    private let room: String

    init(_ client: RoomsClient, _ room: String) {
        self.client = client
        self.room = room
    }

    func run(_ events: RoomsEvents) async {
        let terminal = Terminal()
        let showing = Task { await show(events) }
        await handleKeys()
        showing.cancel()
        terminal.restore()
    }

    private func handleKeys() async {
        var touch = Touch(x: Self.width / 2, y: Self.height / 2)
        var notes: [String] = []
        for await key in Terminal.keys() {
            switch key {
            case .up: touch.y = max(touch.y - 40, 0)
            case .down: touch.y = min(touch.y + 40, Self.height)
            case .left: touch.x = max(touch.x - 20, 0)
            case .right: touch.x = min(touch.x + 20, Self.width)
            case .note:
                let note = NewElement(.note, x: touch.x, y: touch.y, width: 120, height: 60, content: "from a terminal")
                if let made = try? await client.create(note, in: room) { notes.append(made.id) }
            case .undo:
                if let last = notes.popLast() { try? await client.delete(last, in: room) }
            case .lift:
                await client.endTouch(in: room)
                continue
            case .quit: return
            }
            await client.move(in: room, to: touch)
            draw(await client.room(room), own: touch, said: [])
        }
    }

    private func show(_ events: RoomsEvents) async {
        var said: [String] = []
        for await event in events {
            if case .touchMoved = event {} else { said = Array((said + [Telling.line(event)]).suffix(5)) }
            draw(await client.room(room), own: nil, said: said)
        }
    }

    private func draw(_ state: RoomState?, own: Touch?, said: [String]) {
        guard let state else { return }
        var board = Array(repeating: Array(repeating: Character(" "), count: Self.columns), count: Self.rows)
        func put(_ character: Character, _ x: Double, _ y: Double) {
            let column = Int(min(max(x / Self.width, 0), 0.999) * Double(Self.columns))
            let row = Int(min(max(y / Self.height, 0), 0.999) * Double(Self.rows))
            board[row][column] = character
        }
        for element in state.elements.values { put("\u{25AB}", element.x, element.y) }
        for (user, touch) in state.touches { put(state.participants[user]?.name.first ?? "?", touch.x, touch.y) }
        if let own { put("+", own.x, own.y) }
        let people = state.participants.values.map(\.name).sorted().joined(separator: ", ")
        var screen = "\u{1B}[H\u{1B}[2K\(state.id): \(people)\n"
        for row in board { screen += "\u{1B}[2K|\(String(row))|\n" }
        for line in said { screen += "\u{1B}[2K\(line)\n" }
        Terminal.write(screen)
    }
}
