import Threads
import Transport

/// Bounds how many of something there are at a time: in all, and for each owner.
final class Seats<Owner: Hashable & Sendable>: Sendable {
    private struct State {
        var count = 0
        var ofOwner: [Owner: Int] = [:]
    }

    private let most: Int
    private let ofOwnerMax: Int
    private let state = Locked(State())

    init(most: Int, ofOwnerMax: Int) {
        self.most = most
        self.ofOwnerMax = ofOwnerMax
    }

    /// One place, which is given back with its last reference.
    final class Seat: Sendable {
        private let seats: Seats
        private let owner: Owner?

        fileprivate init(_ seats: Seats, _ owner: Owner?) {
            self.seats = seats
            self.owner = owner
        }

        deinit {
            seats.leave(owner)
        }
    }

    /// Nil when there are too many. Without an owner only the bound of all applies.
    func take(_ owner: Owner?) -> Seat? {
        let isTaken = state.withLock { state in
            guard state.count < most else { return false }
            if let owner {
                let taken = state.ofOwner[owner, default: 0]
                guard taken < ofOwnerMax else { return false }
                state.ofOwner[owner] = taken + 1
            }
            state.count += 1
            return true
        }
        return isTaken ? Seat(self, owner) : nil
    }

    private func leave(_ owner: Owner?) {
        state.withLock { state in
            state.count -= 1
            guard let owner else { return }
            let left = (state.ofOwner[owner] ?? 1) - 1
            state.ofOwner[owner] = left > 0 ? left : nil
        }
    }

    var count: Int { state.withLock { $0.count } }
}

extension Seats where Owner == IPAddress {
    /// For files that are being sent. One address may have a quarter of them.
    static func ofDownloads(_ most: Int) -> Seats { Seats(most: most, ofOwnerMax: max(most / 4, 1)) }
}
