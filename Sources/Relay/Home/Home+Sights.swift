import Rooms
import Transport

/// A node whose members all see a part of a room is told of that part only.
extension Home {
    /// The home is not told more often.
    private static let sightPauseMilliseconds: Int64 = 100

    /// The members of this node see something else, or others are members.
    func sightChanged(_ outpost: Outpost) {
        guard outposts[outpost.id] === outpost, !outpost.sightTimer.isArmed else { return }
        let wait = outpost.sightSetAt + Self.sightPauseMilliseconds - loop.now
        guard wait > 0 else { return tellSight(outpost) }
        outpost.sightTimer.fire = { [unowned self, weak outpost] in
            if let outpost { self.tellSight(outpost) }
        }
        loop.arm(outpost.sightTimer, in: Int(wait))
    }

    private func tellSight(_ outpost: Outpost) {
        guard outposts[outpost.id] === outpost, outpost.takeSight(at: loop.now) else { return }
        context.post(.home(outpost.id, .sight(node: hub.node, outpost.sight)), to: outpost.node)
    }
}
