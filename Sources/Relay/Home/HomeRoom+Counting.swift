import Rooms
import Store
import Transport

/// The activity of a room, counted on its home.
struct RoomActivity {
    /// Positions taken since the last tick. This is the only cost of counting a touch.
    var touches = 0
    /// How many positions and entries came lately. It decays within some ten seconds.
    private(set) var heat = 0.0
    private var heatAt: Int64 = 0
    private var known = Holding()

    struct Holding {
        var participants = 0
        var elements = 0
        var logBytes = 0
        var backlogEntries = 0
        var backlogBytes = 0
    }

    static let heatMilliseconds = 10_000.0

    mutating func warm(by count: Int, at now: Int64) {
        heat = heat(at: now) + Double(count)
        heatAt = now
    }

    func heat(at now: Int64) -> Double {
        let share = min(Double(max(now - heatAt, 0)) / Self.heatMilliseconds, 1)
        return heat * (1 - share)
    }

    /// Updates the totals of the shard with the room's current contents.
    mutating func note(_ now: Holding, in totals: inout RelayTotals) {
        totals.participants += now.participants - known.participants
        totals.elements += now.elements - known.elements
        totals.logBytes += now.logBytes - known.logBytes
        totals.backlogEntries += now.backlogEntries - known.backlogEntries
        totals.backlogBytes += now.backlogBytes - known.backlogBytes
        known = now
    }
}

extension HomeRoom {
    /// Counts a tick of the room.
    func countTick(_ delta: RoomDelta?, at now: Int64) {
        activity.warm(by: activity.touches + (delta?.entries.count ?? 0), at: now)
        counters.totals.touchesTaken &+= activity.touches
        activity.touches = 0
        if let delta {
            counters.totals.ticks &+= 1
            counters.totals.touchesTicked &+= delta.touches.count
            counters.totals.entriesLogged &+= delta.entries.count
        }
        countHolding()
    }

    func countHolding() {
        activity.note(
            RoomActivity.Holding(
                participants: room.participantCount, elements: room.elementCount, logBytes: room.keptLogBytes,
                backlogEntries: journal?.backlog.count ?? 0, backlogBytes: journal?.backlog.byteCount ?? 0),
            in: &counters.totals)
    }

    /// Removes the room from the totals when it leaves memory.
    func countNothing() {
        counters.totals.touchesTaken &+= activity.touches
        activity.touches = 0
        activity.note(RoomActivity.Holding(), in: &counters.totals)
    }
}
