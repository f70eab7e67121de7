import RoomsClient

/// The guests of all rooms. It belongs to the loop's thread.
final class GuestHouse {
    let url: String
    let limits: Guests.Limits
    let loop: ClientLoop
    private var guests: [String: Guest] = [:]
    private let left: (_ roomID: String) -> Void
    private var isClosed = false
    private var number = 0

    /// - Parameter left: called once for each guest that is gone.
    init(_ url: String, _ limits: Guests.Limits, _ loop: ClientLoop, left: @escaping (_ roomID: String) -> Void) {
        self.url = url
        self.limits = limits
        self.loop = loop
        self.left = left
    }

    func isGuest(_ id: String) -> Bool { guests[id] != nil }

    func welcome(_ count: Int, to roomID: String, _ area: GuestArea) {
        for _ in 0..<count {
            guard !isClosed, let guest = makeGuest(roomID, area) else {
                left(roomID)
                continue
            }
            guests[guest.name] = guest
            guest.come()
        }
    }

    private func makeGuest(_ roomID: String, _ area: GuestArea) -> Guest? {
        let here = Set(guests.values.filter { $0.roomID == roomID }.map(\.kind))
        let kind = GuestKind.all.indices.first { !here.contains($0) } ?? number % GuestKind.all.count
        number += 1
        return try? Guest(kind, seed: UInt64.random(in: .min ... .max), roomID: roomID, area, self)
    }

    /// Called by a guest that has said good-bye.
    func gone(_ guest: Guest) {
        guard guests.removeValue(forKey: guest.name) != nil else { return }
        left(guest.roomID)
    }

    func sendAway(from roomID: String) {
        for guest in guests.values where guest.roomID == roomID { guest.leave() }
    }

    func noteCount(in roomID: String) -> Int {
        guests.values.count { $0.roomID == roomID && $0.hasNote }
    }

    func close() {
        isClosed = true
        for guest in Array(guests.values) { guest.end() }
    }
}
