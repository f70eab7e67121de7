import Wire

/// A part of a room.
struct ModelArea {
    let x: Range<Double>
    let y: Range<Double>

    /// The answer to `view:set`.
    init?(_ json: JSONReader?) {
        guard let json, let x = json["x"]?.double, let y = json["y"]?.double, let width = json["width"]?.double,
            let height = json["height"]?.double, width > 0, height > 0
        else { return nil }
        self.x = x..<x + width
        self.y = y..<y + height
    }

    func contains(_ position: ModelClient.Position) -> Bool {
        x.contains(Double(position.x)) && y.contains(Double(position.y))
    }
}

extension ModelClient.View {
    /// Whether a position is told that is not the last one of a touch.
    func sees(_ position: ModelClient.Position) -> Bool { !awaitsAll && area?.contains(position) ?? true }

    /// The client has left the room, or its connection was lost.
    mutating func endSight() { (area, awaitsAll) = (nil, false) }

    /// A position has come, or nothing more comes, and the client was not told all of its view.
    mutating func takePosition() {
        if awaitsAll, mayHaveBeenOut { endSight() }
    }
}

/// What the client is told of a part of a room.
extension ModelClient {
    /// From here on the client is told of another part.
    func looked(_ answer: JSONReader, _ room: Int) -> String? {
        guard let area = ModelArea(answer["view"]) else { return "an answer without a view" }
        views[room]?.area = area
        views[room]?.awaitsAll = true
        views[room]?.mayHaveBeenOut = false
        views[room]?.owed = [:]
        return nil
    }

    /// All touches within the view follow.
    func toldAll(_ view: inout View, _ world: Simulation) {
        world.reach(.toldView)
        view.touches = [:]
        view.awaitsAll = false
    }

    /// A touch has left the view, or one of its squares for another.
    func left(_ mover: Int, _ position: Position, _ view: inout View, _ world: Simulation) -> String? {
        world.reach(.leftView, if: !view.sees(position))
        guard world.isOf(mover, position) else { return "p\(mover) leaves from the position of another" }
        if view.awaitsAll { return "p\(mover) leaves a view that was not told yet" }
        guard let before = view.touches.removeValue(forKey: mover) else { return "p\(mover) leaves and was not there" }
        // A home that does not know yet that a node's members see more tells that it tells nothing more of who has not moved.
        let isKnown = world.isCluster && before.number == position.number
        guard before.device != position.device || before.number < position.number || isKnown else {
            return "p\(mover) leaves with an old position"
        }
        view.newest[mover * 1_000 + position.device] = position.number
        return nil
    }
}
