import Foundation
import Rooms
import Store
import Testing
import Threads
import Transport

@testable import Push

/// A data directory with users, a room and devices, and a sender of its notifications.
final class PushWorld: @unchecked Sendable {
    let path = NSTemporaryDirectory() + "rooms-push-\(UUID().uuidString)"
    private(set) var store: DatabaseStore
    private var sender: PushSender?
    private let live = Locked<[String]>([])
    private let noted = Locked<[PushNotice]>([])
    private let clock = Locked<Int64>(1_700_000_000)
    private var seq: UInt64 = 0
    let totals = PushTotals()

    static let limits = {
        var limits = PushLimits()
        limits.pollMilliseconds = 10
        limits.pauseMilliseconds = 20
        limits.pauseMillisecondsMax = 200
        limits.requestMilliseconds = 10_000
        return limits
    }()

    /// For a provider that does not answer.
    static let impatient = {
        var limits = PushWorld.limits
        limits.requestMilliseconds = 300
        return limits
    }()

    init() async throws {
        store = try Self.open(path)
        for name in ["ann", "bob", "cat"] {
            let _: Account = try await told {
                store.signIn(sub: name, email: "\(name)@example.org", newID: name, at: 1, then: $0)
            }
            let profile = Profile(username: name, firstName: name.capitalized, dateOfBirth: 0)
            let _: Account = try await told { store.setProfile(profile, .new(file: nil), of: name, at: 1, then: $0) }
            try await told { store.setDevice("phone-\(name)", of: name, session: nil, at: 1, then: $0) }
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func open(_ path: String) throws -> DatabaseStore {
        var limits = StoreLimits()
        limits.groupMilliseconds = 0
        // A sweep goes by the real clock, not by the tests'.
        limits.sweepMilliseconds = 3_600_000
        return try DatabaseStore(.directory(path), limits: limits, notifies: true)
    }

    // MARK: What happens

    var now: Int64 { clock.withLock { $0 } }
    var notices: [PushNotice] { noted.withLock { $0 } }

    func pass(seconds: Int64) { clock.withLock { $0 += seconds } }
    func setLive(_ people: String...) { live.withLock { $0 = people } }

    func makeRoom(_ id: String, by creator: String = "ann", with members: String...) async throws {
        let room = NewRoom(id: id, name: "Kitchen", creator: creator, members: members, at: now)
        let _: CreatedRoom = try await told { store.createRoom(room, then: $0) }
    }

    func addElement(by person: String, to room: String = "r") async throws {
        seq += 1
        var values = Element.noValues
        for field in Element.Field.allCases where field.isRequired { values[field.rawValue] = Array("1".utf8) }
        let element = Element(
            stored: "e\(seq)", kind: .note, createdBy: Array("\"\(person)\"".utf8), createdAt: now, values: values,
            version: 1, updatedAt: nil, updatedBy: [])
        let entry = JournalEntry(
            seq: seq, kind: "element:created", json: Array("{}".utf8), at: now, effect: .created(element))
        let _: UInt64 = try await told { store.append([entry], to: room, then: $0) }
    }

    /// What has become of all that waited.
    func settled() async throws {
        try await eventually("something waits") { try await told { store.nextPushDue(then: $0) } == nil }
    }

    /// The same, with a clock that goes on: what has failed becomes due again.
    func settledInTime() async throws {
        try await eventually("something waits") {
            pass(seconds: 1)
            return try await told { store.nextPushDue(then: $0) } == nil
        }
    }

    // MARK: Who sends

    func start(_ provider: StandIn, limits: PushLimits = PushWorld.limits) {
        let (live, noted, clock, url) = (live, noted, clock, provider.url)
        sender = PushSender(
            store: store, live: { _, answer in answer(live.withLock { $0 }) }, limits: limits,
            unixSeconds: { clock.withLock { $0 } }, totals: totals,
            report: { notice in noted.withLock { $0.append(notice) } }
        ) {
            guard let provider = OneSignal(url: url, appID: "app", key: Array("os_v2_key".utf8), limits: limits) else {
                preconditionFailure("no provider")
            }
            return [.onesignal: provider]
        }
    }

    func stop(waitingMilliseconds: Int64 = 3_000) {
        sender?.stop(waitingMilliseconds: waitingMilliseconds)
        sender = nil
    }

    /// The server ends and begins again.
    func reopen() throws {
        stop()
        store.close()
        store = try Self.open(path)
    }

    func end() {
        stop()
        store.close()
    }
}

/// Waits for the answer of a call to the store.
func told<Value: Sendable>(_ call: (@escaping Answer<Value>) -> Void) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        call { continuation.resume(with: $0) }
    }
}

/// Waits until something holds that another thread brings about.
func eventually(_ what: Comment, _ body: () async throws -> Bool) async throws {
    for _ in 0..<1_000 {
        if try await body() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record(what)
}
