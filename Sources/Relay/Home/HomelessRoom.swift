import Transport

/// A room with members on this node that has lost its home, until they look for the next one.
struct HomelessRoom {
    /// The newest touches of the members.
    var touches = KeptTouches()
    /// The node that was the home before, if it lives: it waits until somebody knows the next home.
    private(set) var giver: Int?
    /// Since when it has no home.
    fileprivate(set) var since: Int64 = 0

    init(touches: KeptTouches = KeptTouches(), giver: Int? = nil) {
        (self.touches, self.giver) = (touches, giver)
    }

    var isEmpty: Bool { touches.isEmpty && giver == nil }

    /// The node that is to be told, once.
    mutating func takeGiver() -> Int? {
        defer { giver = nil }
        return giver
    }
}

extension Home {
    /// For longer nobody looks for the next home of a room: all members have gone, or none may be in the room any more.
    private static let homelessMilliseconds: Int64 = 10_000

    /// Also when there are no touches yet: the next positions of members may be on their way to this shard.
    func keep(_ room: HomelessRoom, _ id: RoomID) {
        var room = room
        room.since = loop.now
        homeless[id] = room
        guard !homelessTimer.isArmed else { return }
        homelessTimer.fire = { [unowned self] in self.forgetHomeless() }
        loop.arm(homelessTimer, in: Int(Self.homelessMilliseconds))
    }

    private func forgetHomeless() {
        homeless = homeless.filter { loop.now - $0.value.since < Self.homelessMilliseconds }
        if !homeless.isEmpty { loop.arm(homelessTimer, in: Int(Self.homelessMilliseconds)) }
    }
}
