import Rooms
import Wire

/// Positions, in each form.
extension ModelClient {
    func readMoved(_ text: [UInt8], _ view: inout View) -> String? {
        view.lastMoved = text
        guard view.phase == .inside else { return nil }
        guard let mover = SimulatedEvent.person(text), let position = SimulatedEvent.position(text) else {
            return "a move of nobody"
        }
        if mover == person {
            view.awaitsOwnEnd = true
            return nil
        }
        return moved(mover, position, &view)
    }

    func readBatch(_ text: [UInt8], _ view: inout View) -> String? {
        guard view.phase == .inside else { return nil }
        guard touches.contains(.batches), let items = SimulatedEvent.argument(text)?.argument["touches"]?.items,
            !items.isEmpty
        else {
            return "a batch of nothing, or not asked for"
        }
        for item in items {
            let tuple = item.items ?? []
            guard tuple.count >= 3, let slot = tuple[0].int, let x = tuple[1].int, let y = tuple[2].int,
                let mover = view.state.participants.first(where: { $0.value == slot })?.key
            else { return "a batch with a touch of nobody" }
            if mover == person { continue }
            if let problem = moved(mover, Position(device: y, number: x), &view) { return problem }
        }
        return nil
    }

    /// Reads the attachment of a binary tick, which has whole numbers.
    func readTick(_ bytes: [UInt8], _ world: Simulation) -> String? {
        guard let room = tickedRoom, world.truths[room] != nil else { return "an attachment of nothing" }
        tickedRoom = nil
        var view = views[room] ?? View()
        defer { views[room] = view }
        if view.awaitsOwnEnd { return "its own touch" }
        var touches: [TickDecoder.Touch] = []
        guard let header = try? view.ticks.decode(bytes.span, { touches.append($0) }), !touches.isEmpty else {
            return "a tick that cannot be read, or of nothing"
        }
        world.note("client \(number) reads tick \(header.tick): \(touches.map { "\($0.slot) at \($0.x)" })")
        world.reach(header.isAbsolute ? .tickedAbsolute : .ticked)
        guard view.phase == .inside else { return nil }
        for touch in touches {
            guard let mover = view.state.participants.first(where: { $0.value == touch.slot })?.key else {
                return "a tick with a touch of nobody"
            }
            if mover == person { continue }
            let position = Position(device: Int(touch.y), number: Int(touch.x))
            if let problem = moved(mover, position, &view) { return problem }
        }
        return nil
    }

    private func moved(_ mover: Int, _ position: Position, _ view: inout View) -> String? {
        guard view.state.participants[mover] != nil else { return "a touch of p\(mover), who is not there" }
        let key = mover * 1_000 + position.device
        guard position.number >= view.newest[key] ?? 0 else {
            return "p\(mover) at \(position.number) after \(view.newest[key] ?? 0)"
        }
        if let ended = view.ended[key], position.number <= ended {
            return "p\(mover) at \(position.number) after the end at \(ended)"
        }
        view.newest[key] = position.number
        view.touches[mover] = position
        return nil
    }
}
