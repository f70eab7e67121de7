import Relay
import Rooms
import Store

/// A server's way to its database. It executes what it was asked for in order, one at a time at random moments. It fails
/// for a while, it loses the answers of appends that are stored, and a crash loses what it has not executed.
final class SimulatedStore: HomeStore, @unchecked Sendable {
    private enum Work {
        case load(String, Answer<StoredRoom?>)
        case append([JournalEntry], String, fence: Int64?, Answer<UInt64>)
        case sit(Seat, SeatClaim)
        case stand(String, String?, Answer<Void>)
        case lose(String)
        case seats(String, LogOffset?, within: Int64, Answer<[Seat]>)
        case isHome(String, fence: Int64, Answer<Bool>)
        case countLoss(String, Answer<Void>)
    }

    private enum Claiming {
        case claim(String, ClusterNode, Answer<RoomClaim>)
        case release(String, fence: Int64, afterLoss: Bool, Answer<Void>)
    }

    private unowned let world: Simulation
    private let database: SimulatedDatabase
    private let node: Int
    private var work: [Work] = []
    /// Claims and releases have a connection of their own.
    private var claims: [Claiming] = []
    var isFailing = false

    init(_ world: Simulation, _ database: SimulatedDatabase, node: Int) {
        self.world = world
        self.database = database
        self.node = node
    }

    var isWorking: Bool { !work.isEmpty || !claims.isEmpty }

    func load(_ room: String, then answer: @escaping Answer<StoredRoom?>) { work.append(.load(room, answer)) }
    func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>) {
        work.append(.append(entries, room, fence: nil, answer))
    }
    func append(
        _ entries: [JournalEntry], to room: String, fence: Int64, then answer: @escaping Answer<UInt64>
    ) {
        work.append(.append(entries, room, fence: fence, answer))
    }
    func countLoss(of room: String, then answer: @escaping Answer<Void>) { work.append(.countLoss(room, answer)) }
    func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>) {
        answer(.success(nil))
    }
    func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>
    ) {
        answer(.failure(Self.failure))
    }
    func sit(_ seat: Seat, _ claim: SeatClaim) { work.append(.sit(seat, claim)) }
    func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>) {
        work.append(.stand(pid, room, answer))
    }
    func lose(_ pid: String) { work.append(.lose(pid)) }
    func seats(
        of pid: String, showing offset: LogOffset?, within seconds: Int64, then answer: @escaping Answer<[Seat]>
    ) {
        work.append(.seats(pid, offset, within: seconds, answer))
    }
    func claim(_ room: String, by node: ClusterNode, then answer: @escaping Answer<RoomClaim>) {
        claims.append(.claim(room, node, answer))
    }
    func isHome(_ room: String, fence: Int64, then answer: @escaping Answer<Bool>) {
        work.append(.isHome(room, fence: fence, answer))
    }
    func release(_ room: String, fence: Int64, afterLoss: Bool, then answer: @escaping Answer<Void>) {
        claims.append(.release(room, fence: fence, afterLoss: afterLoss, answer))
    }
    func nodes(then answer: @escaping Answer<[NodeRecord]>) { answer(.success([])) }

    private static let failure = StoreError.failed("the simulation", detail: "It fails for a while.")

    // MARK: Work

    /// Does the next thing that it was asked for.
    func doNext() {
        if !claims.isEmpty, work.isEmpty || world.random.percent(50) { return claimNext() }
        guard !work.isEmpty else { return }
        switch work.removeFirst() {
        case .load(let room, let answer): answer(isFailing ? .failure(Self.failure) : .success(database.load(room)))
        case .append(let entries, let room, let fence, let answer): append(entries, room, fence, answer)
        case .sit(let seat, let claim):
            if !isFailing { database.sit(seat, claim, of: node) }
        case .stand(let pid, let room, let answer):
            if isFailing { return answer(.failure(Self.failure)) }
            database.stand(pid, in: room, of: node)
            answer(.success(()))
        case .lose(let pid): if !isFailing { database.lose(pid, of: node) }
        case .seats(let pid, let offset, let seconds, let answer):
            if isFailing { return answer(.failure(Self.failure)) }
            world.remember(pid)
            answer(.success(database.seats(of: pid, showing: offset, within: seconds)))
        case .isHome(let room, let fence, let answer):
            answer(isFailing ? .failure(Self.failure) : .success(database.isHome(room, fence: fence)))
        case .countLoss(let room, let answer):
            if isFailing { return answer(.failure(Self.failure)) }
            database.countLoss(of: room)
            answer(.success(()))
        }
    }

    private func claimNext() {
        switch claims.removeFirst() {
        case .claim(let room, let node, let answer):
            answer(isFailing ? .failure(Self.failure) : .success(database.claim(room, by: node)))
        case .release(let room, let fence, let afterLoss, let answer):
            if isFailing { return answer(.failure(Self.failure)) }
            database.release(room, fence: fence, afterLoss: afterLoss)
            answer(.success(()))
        }
    }

    private func append(
        _ entries: [JournalEntry], _ room: String, _ fence: Int64?, _ answer: Answer<UInt64>
    ) {
        if isFailing {
            world.reach(.appendFailed)
            // It may have been stored although the answer is an error.
            if world.random.percent(30) { _ = try? database.append(entries, to: room, fence: fence) }
            return answer(.failure(Self.failure))
        }
        if world.strikes(.losesAppend), let last = entries.last { return answer(.success(last.seq)) }
        let isAmbiguous = world.isCluster && world.random.percent(3)
        do throws(StoreError) {
            let stored = try database.append(entries, to: room, fence: fence)
            world.reach(.ambiguous, if: isAmbiguous)
            answer(isAmbiguous ? .failure(Self.failure) : .success(stored))
        } catch {
            answer(.failure(isAmbiguous ? Self.failure : error))
        }
    }

    func hasSeat(_ pid: String?, in room: String) -> Bool { database.hasSeat(pid, in: room) }

    /// The server is killed: some of the requests are executed, and none is answered.
    func crash() {
        for work in work.prefix(world.random.below(work.count + 1)) where !isFailing {
            switch work {
            case .append(let entries, let room, let fence, _):
                _ = try? database.append(entries, to: room, fence: fence)
            case .sit(let seat, let claim): database.sit(seat, claim, of: node)
            case .stand(let pid, let room, _): database.stand(pid, in: room, of: node)
            case .lose(let pid): database.lose(pid, of: node)
            case .countLoss(let room, _): database.countLoss(of: room)
            case .load, .seats, .isHome: break
            }
        }
        work = []
        // One may be on its way to the database.
        if let claim = claims.first, !isFailing, world.random.percent(50) {
            switch claim {
            case .claim(let room, let node, _): _ = database.claim(room, by: node)
            case .release(let room, let fence, let afterLoss, _):
                database.release(room, fence: fence, afterLoss: afterLoss)
            }
        }
        claims = []
        if !world.isCluster { database.loseSeats(of: node) }
    }
}
