import RoomsClient
import Threads

/// Bots that keep users company in rooms to which they are invited. They are few, and leave when no user is left to see
/// them.
///
/// They are participants like any other. They connect through the server's own port, on a thread of their own.
package final class Guests: Sendable {
    /// How many there may be, and for how long.
    package struct Limits: Sendable {
        /// Guests in one room. Past it: the invitation is refused.
        package var inRoomMax = 5
        /// Guests in all rooms. They move thirty times a second, which costs processor time of this server.
        package var countMax = 40
        /// How long a guest stays at most.
        package var stayMilliseconds: Int64 = 15 * 60_000
        /// How long guests stay in a room without users. A user who reloads the page is away for a moment.
        package var aloneMilliseconds: Int64 = 5_000

        package init() {}
    }

    package enum Refusal: Error, Equatable {
        /// As many as may be are in the room.
        case roomIsFull
        /// As many as may be are on the server.
        case serverIsFull
    }

    private let limits: Limits
    let loop: ClientLoop
    let house: LoopBound<GuestHouse>
    /// The guests of each room, including those who are connecting or leaving.
    private let counts: Locked<[String: Int]>

    /// - Parameter url: where the server takes connections.
    package init(_ url: String, limits: Limits = Limits()) throws(ClientError) {
        _ = try ServerURL(url)
        self.limits = limits
        loop = try ClientLoop()
        let counts = Locked<[String: Int]>([:])
        self.counts = counts
        house = LoopBound(
            value: GuestHouse(url, limits, loop) { roomID in
                counts.withLock { $0[roomID] = $0[roomID].flatMap { $0 > 1 ? $0 - 1 : nil } }
            })
    }

    /// Has as many come as asked for, or as there is room for. They keep to the part of the canvas that the inviter sees.
    ///
    /// - Returns: how many come.
    package func invite(_ count: Int, to roomID: String, _ area: GuestArea) -> Result<Int, Refusal> {
        let coming: Result<Int, Refusal> = counts.withLock { counts in
            let here = counts[roomID, default: 0]
            let all = counts.values.reduce(0, +)
            guard here < limits.inRoomMax else { return .failure(.roomIsFull) }
            guard all < limits.countMax else { return .failure(.serverIsFull) }
            let coming = min(max(count, 1), limits.inRoomMax - here, limits.countMax - all)
            counts[roomID] = here + coming
            return .success(coming)
        }
        if case .success(let coming) = coming {
            let house = house
            loop.post { house.value.welcome(coming, to: roomID, area) }
        }
        return coming
    }

    /// Has all guests of a room leave.
    package func sendAway(from roomID: String) {
        let house = house
        loop.post { house.value.sendAway(from: roomID) }
    }

    /// How many notes guests of a room hold to be theirs.
    func noteCount(in roomID: String) async -> Int {
        let house = house
        return await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: house.value.noteCount(in: roomID)) }
        }
    }

    package var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Makes all guests leave, and admits no more.
    package func stop() {
        let (house, loop) = (house, loop)
        loop.post {
            house.value.close()
            loop.stop()
        }
    }
}

/// A part of the canvas.
package struct GuestArea: Equatable, Sendable {
    package let left: Double
    package let top: Double
    package let width: Double
    package let height: Double

    /// Around a point; what makes no sense is made to.
    package init(x: Double, y: Double, width: Double, height: Double) {
        func bounded(_ value: Double, _ range: ClosedRange<Double>) -> Double {
            value.isFinite ? min(max(value, range.lowerBound), range.upperBound) : range.lowerBound
        }
        self.width = bounded(width, 200...2_000)
        self.height = bounded(height, 200...1_200)
        left = bounded(x, -1e6...1e6) - self.width / 2
        top = bounded(y, -1e6...1e6) - self.height / 2
    }
}
