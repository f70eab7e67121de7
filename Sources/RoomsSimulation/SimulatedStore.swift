import Relay
import Rooms
import Store

/// A store that executes its requests in order, one at a time at random moments. It fails for a while, and a crash
/// loses the requests that it has not executed.
final class SimulatedStore: RoomStore, @unchecked Sendable {
    private enum Work {
        case load(String, Answer<StoredRoom?>)
        case append([JournalEntry], String, Answer<UInt64>)
        case sit(Seat)
        case stand(String, String?, Answer<Void>)
        case lose(String)
        case seats(String, within: Int64, Answer<[Seat]>)
    }

    private struct Kept {
        var seat: Seat
        var lostAt: Int64?
    }

    private unowned let world: Simulation
    private let entriesKept: Int
    private var work: [Work] = []
    /// The whole log of each room.
    private var logs: [String: [JournalEntry]] = [:]
    private var seats: [Kept] = []
    var isFailing = false

    init(_ world: Simulation, entriesKept: Int) {
        self.world = world
        self.entriesKept = entriesKept
    }

    var isWorking: Bool { !work.isEmpty }

    func load(_ room: String, then answer: @escaping Answer<StoredRoom?>) { work.append(.load(room, answer)) }
    func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>) {
        work.append(.append(entries, room, answer))
    }
    func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>) {
        answer(.success(nil))
    }
    func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>
    ) {
        answer(.failure(Self.failure))
    }
    func sit(_ seat: Seat) { work.append(.sit(seat)) }
    func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>) {
        work.append(.stand(pid, room, answer))
    }
    func lose(_ pid: String) { work.append(.lose(pid)) }
    func seats(of pid: String, within seconds: Int64, then answer: @escaping Answer<[Seat]>) {
        work.append(.seats(pid, within: seconds, answer))
    }

    private static let failure = StoreError.failed("the simulation", detail: "It fails for a while.")

    // MARK: Work

    /// Does the next thing that it was asked for.
    func doNext() {
        guard !work.isEmpty else { return }
        switch work.removeFirst() {
        case .load(let room, let answer):
            answer(isFailing ? .failure(Self.failure) : .success(logs[room].map { stored(room, $0) }))
        case .append(let entries, let room, let answer): append(entries, room, answer)
        case .sit(let seat): if !isFailing { sitDown(seat) }
        case .stand(let pid, let room, let answer):
            if isFailing { return answer(.failure(Self.failure)) }
            seats.removeAll { $0.seat.pid == pid && (room == nil || $0.seat.room == room) }
            answer(.success(()))
        case .lose(let pid): if !isFailing { lose { $0.pid == pid } }
        case .seats(let pid, let seconds, let answer):
            if isFailing { return answer(.failure(Self.failure)) }
            let found = seats.filter { $0.seat.pid == pid }
            let lostAt = found.contains { $0.lostAt == nil } ? nil : found.compactMap(\.lostAt).max()
            let isInTime = lostAt.map { $0 >= world.now.unixSeconds - seconds } ?? false
            answer(.success(isInTime ? found.map(\.seat) : []))
        }
    }

    private func append(_ entries: [JournalEntry], _ room: String, _ answer: Answer<UInt64>) {
        if isFailing {
            world.reach(.appendFailed)
            // It may have been stored although the answer is an error.
            if world.random.percent(30) { _ = try? keep(entries, room) }
            return answer(.failure(Self.failure))
        }
        if world.strikes(.losesAppend), let last = entries.last { return answer(.success(last.seq)) }
        do throws(StoreError) {
            answer(.success(try keep(entries, room)))
        } catch {
            answer(.failure(error))
        }
    }

    private func keep(_ entries: [JournalEntry], _ room: String) throws(StoreError) -> UInt64 {
        var log = logs[room] ?? []
        let stored = log.last?.seq ?? 0
        for entry in entries where entry.seq <= stored && log[Int(entry.seq) - 1] != entry {
            throw .outOfOrder(stored: stored)
        }
        let new = entries.filter { $0.seq > stored }
        if let first = new.first, first.seq != stored + 1 { throw .outOfOrder(stored: stored) }
        log += new
        logs[room] = log
        return log.last?.seq ?? 0
    }

    func hasSeat(_ pid: String?, in room: String) -> Bool {
        seats.contains { $0.seat.pid == pid && $0.seat.room == room }
    }

    private func sitDown(_ seat: Seat) {
        seats.removeAll { $0.seat.pid == seat.pid && $0.seat.room == seat.room }
        seats.append(Kept(seat: seat))
    }

    private func lose(where isLost: (Seat) -> Bool) {
        for index in seats.indices where seats[index].lostAt == nil && isLost(seats[index].seat) {
            seats[index].lostAt = world.now.unixSeconds
        }
    }

    /// The server is killed: some of the requests are executed, and none is answered.
    func crash() {
        for work in work.prefix(world.random.below(work.count + 1)) where !isFailing {
            switch work {
            case .append(let entries, let room, _): _ = try? keep(entries, room)
            case .sit(let seat): sitDown(seat)
            case .stand(let pid, let room, _):
                seats.removeAll { $0.seat.pid == pid && (room == nil || $0.seat.room == room) }
            case .lose(let pid): lose { $0.pid == pid }
            case .load, .seats: break
            }
        }
        work = []
        lose { _ in true }
    }

    // MARK: Reading

    private func stored(_ room: String, _ log: [JournalEntry]) -> StoredRoom {
        var elements: [StoredElement] = []
        var remembered: [String] = []
        var present: [String: Presence] = [:]
        for entry in log {
            switch entry.effect {
            case .none: break
            case .created(let element, let creation):
                elements.append(StoredElement(element: element, creation: creation, seq: entry.seq))
            case .updated(let element):
                guard let index = elements.firstIndex(where: { $0.element.id == element.id }) else { break }
                elements[index] = StoredElement(
                    element: element, creation: elements[index].creation, seq: entry.seq)
            case .deleted(let id, _):
                remembered += elements.filter { $0.element.id == id }.compactMap(\.creation)
                elements.removeAll { $0.element.id == id }
            case .came(let person): present[person.id] = person
            case .left(let person): present[person] = nil
            case .closed: present = [:]
            }
        }
        return StoredRoom(
            id: room, seq: log.last?.seq ?? 0, elements: elements, rememberedCreations: remembered,
            entries: log.suffix(entriesKept), present: present.values.sorted { $0.id < $1.id })
    }
}
