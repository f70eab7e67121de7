import Rooms
import Wire

/// Positions, in each form.
extension ModelClient {
    static let unwanted = "its own touch, or one that it does not see"

    func readMoved(_ text: [UInt8], _ view: inout View, _ world: Simulation) -> String? {
        view.lastMoved = text
        guard view.phase == .inside else { return nil }
        guard let mover = SimulatedEvent.person(text), let position = SimulatedEvent.position(text) else {
            return "a move of nobody"
        }
        if mover == person || !view.sees(position) { view.awaitsEndOf = mover }
        let key = mover * 1_000 + position.device
        if world.isCluster, view.ended[key] == position.number {
            // The home has the end once more if it does not know that it was stored, or the touch goes on that it had given up.
            view.ended[key] = nil
        }
        return mover == person ? nil : moved(mover, position, &view, world)
    }

    func readLeft(_ text: [UInt8], _ view: inout View, _ world: Simulation) -> String? {
        guard view.phase == .inside else { return nil }
        guard let mover = SimulatedEvent.person(text), let position = SimulatedEvent.position(text) else {
            return "a touch of nobody leaves"
        }
        return left(mover, position, &view, world)
    }

    func readAll(_ view: inout View, _ world: Simulation) -> String? {
        guard view.phase == .inside else { return nil }
        if touches.contains(.ticks) || touches.contains(.batches) { return "a view in another form" }
        toldAll(&view, world)
        return nil
    }

    func readBatch(_ text: [UInt8], _ view: inout View, _ world: Simulation) -> String? {
        guard view.phase == .inside else { return nil }
        guard touches.contains(.batches), let batch = SimulatedEvent.argument(text)?.argument,
            let moved = batch["touches"]?.items
        else { return "a batch of nothing, or not asked for" }
        let (isAll, left) = (batch["all"]?.bool == true, batch["left"]?.items ?? [])
        if moved.isEmpty, left.isEmpty, !isAll { return "a batch of nothing" }
        if isAll { toldAll(&view, world) } else { view.takePosition() }
        for (items, leaves) in [(left, true), (moved, false)] {
            for item in items {
                let tuple = item.items ?? []
                guard tuple.count >= 3, let slot = tuple[0].int, let x = tuple[1].int, let y = tuple[2].int else {
                    return "a batch that cannot be read"
                }
                if let problem = told(slot, Position(x: x, y: y), leaves: leaves, &view, world) { return problem }
            }
        }
        return nil
    }

    /// Reads the attachment of a binary tick, which has whole numbers.
    func readTick(_ bytes: [UInt8], _ world: Simulation) -> String? {
        guard let room = tickedRoom, world.truths[room] != nil else { return "an attachment of nothing" }
        tickedRoom = nil
        var view = views[room] ?? View()
        defer { views[room] = view }
        if view.awaitsEndOf != nil { return Self.unwanted }
        var touches: [TickDecoder.Touch] = []
        guard let header = try? view.ticks.decode(bytes.span, { touches.append($0) }) else {
            return "a tick that cannot be read"
        }
        let isAll = header.isOfView && header.isAbsolute
        if touches.isEmpty, !isAll { return "a tick of nothing" }
        world.note("client \(number) reads tick \(header.tick): \(touches.map { "\($0.slot) at \($0.x)" })")
        world.reach(header.isAbsolute ? .tickedAbsolute : .ticked)
        guard view.phase == .inside else { return nil }
        if isAll { toldAll(&view, world) } else { view.takePosition() }
        if view.area != nil, !header.isOfView { return "a tick of everything" }
        for touch in touches {
            let position = Position(x: Int(touch.x), y: Int(touch.y))
            if let problem = told(touch.slot, position, leaves: touch.leaves, &view, world) { return problem }
        }
        return nil
    }

    private func told(
        _ slot: Int, _ position: Position, leaves: Bool, _ view: inout View, _ world: Simulation
    ) -> String? {
        guard let mover = view.state.participants.first(where: { $0.value == slot })?.key else {
            return "a tick or a batch with a touch of nobody"
        }
        if mover == person { return nil }
        if leaves { return left(mover, position, &view, world) }
        return view.sees(position) ? moved(mover, position, &view, world) : "p\(mover) outside of its view"
    }

    private func moved(_ mover: Int, _ position: Position, _ view: inout View, _ world: Simulation) -> String? {
        guard view.state.participants[mover] != nil else { return "a touch of p\(mover), who is not there" }
        guard world.isOf(mover, position) else { return "p\(mover) at the position of another, \(position.number)" }
        let key = mover * 1_000 + position.device
        let newest = view.newest[key] ?? 0
        guard position.number >= newest || world.mayBeLate(position, after: newest) else {
            return "p\(mover) at \(position.number) after \(newest)"
        }
        if let ended = view.ended[key], position.number <= ended, !world.mayGoOn(position, after: ended, mover) {
            return "p\(mover) at \(position.number) after the end at \(ended)"
        }
        view.newest[key] = max(position.number, newest)
        view.touches[mover] = position
        return nil
    }
}
