import Foundation
import Rooms
import Store
import Threads
import Transport

/// A store in a temporary directory that can be made to wait and to fail.
final class TestStore: RoomStore {
    private struct State {
        var error: StoreError?
        var isHeld = false
        var holdsSeats = false
        var keepsSeats = false
        var failsCount = false
        var held: [@Sendable () -> Void] = []
        var appends = 0
    }

    let path: String
    private let inner: DatabaseStore
    private let state = Locked(State())

    init(_ path: String? = nil) throws {
        self.path = path ?? NSTemporaryDirectory() + "rooms-relay-\(UUID().uuidString)"
        inner = try DatabaseStore(.directory(self.path))
    }

    /// What has been asked to be appended, also what failed.
    var appends: Int { state.withLock { $0.appends } }

    func fail(_ error: StoreError?) { state.withLock { $0.error = error } }

    /// The next loss of a room cannot be counted.
    func failNextCount() { state.withLock { $0.failsCount = true } }

    /// Appends wait until they are let go.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Whether seats that are given up cannot be deleted.
    func keepSeats(_ keepsSeats: Bool) { state.withLock { $0.keepsSeats = keepsSeats } }

    /// Seats that are given up wait until they are let go.
    func holdSeats() { state.withLock { $0.holdsSeats = true } }

    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            state.holdsSeats = false
            return state.held
        }
        for append in held { append() }
    }

    /// The seats of a connection that was lost.
    func seats(of pid: String) throws -> [Seat] {
        let (answer, done) = (Locked<Result<[Seat], StoreError>?>(nil), DispatchSemaphore(value: 0))
        inner.seats(of: pid, within: 1_000) { result in
            answer.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return try answer.withLock { $0 }?.get() ?? []
    }

    /// Ends it as a server's end does, and gives another in the same directory.
    func reopened() throws -> TestStore {
        inner.close()
        return try TestStore(path)
    }

    func close() {
        inner.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    // MARK: The store

    func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>) {
        let append: @Sendable () -> Void = { [self] in
            if let error = state.withLock({ $0.error }) { return answer(.failure(error)) }
            inner.append(entries, to: room, then: answer)
        }
        let isHeld = state.withLock { state in
            state.appends += 1
            if state.isHeld { state.held.append(append) }
            return state.isHeld
        }
        if !isHeld { append() }
    }

    func load(_ room: String, then answer: @escaping Answer<StoredRoom?>) { inner.load(room, then: answer) }

    func countLoss(of room: String, then answer: @escaping Answer<Void>) {
        let fails = state.withLock { state in
            defer { state.failsCount = false }
            return state.failsCount
        }
        if fails { return answer(.failure(.failed("the loss", detail: "It cannot be counted."))) }
        inner.countLoss(of: room, then: answer)
    }

    func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>) {
        inner.entries(of: room, after: seq, then: answer)
    }

    func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>
    ) {
        inner.changes(of: room, since: position, limit: limit, then: answer)
    }

    func sit(_ seat: Seat, _ claim: SeatClaim) { inner.sit(seat, claim) }

    func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>) {
        if state.withLock({ $0.keepsSeats }) {
            return answer(.failure(.failed("the seat", detail: "It cannot be deleted.")))
        }
        let inner = inner
        let stand: @Sendable () -> Void = { inner.stand(pid, in: room, then: answer) }
        let isHeld = state.withLock { state in
            if state.holdsSeats { state.held.append(stand) }
            return state.holdsSeats
        }
        if !isHeld { stand() }
    }

    func lose(_ pid: String) { inner.lose(pid) }

    func seats(
        of pid: String, showing offset: LogOffset?, within seconds: Int64, then answer: @escaping Answer<[Seat]>
    ) {
        inner.seats(of: pid, showing: offset, within: seconds, then: answer)
    }
}
