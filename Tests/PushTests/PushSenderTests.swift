import Store
import TestSupport
import Testing
import Wire

@testable import Push

@Suite("Notifications", .timeLimit(.minutes(2)))
struct PushSenderTests {
    private func inWorld(_ body: (PushWorld, StandIn) async throws -> Void) async throws {
        let (world, provider) = (try await PushWorld(), try StandIn())
        defer {
            world.end()
            provider.stop()
        }
        try await body(world, provider)
    }

    @Test("go to the devices of members who are away, with what the application looks for")
    func sent() async throws {
        try await inWorld { world, provider in
            world.start(provider)
            try await world.makeRoom("r", with: "bob", "cat")
            try await eventually("nobody is told of the room") { provider.taken.count == 2 }
            #expect(Set(provider.taken.map(\.devices)) == [["phone-bob"], ["phone-cat"]])
            let first = try #require(provider.taken.first)
            #expect(first.authorization == "Key os_v2_key" && first.body["app_id"]?.string == "app")
            #expect(first.type == "room_created" && first.room == "r")
            #expect(first.body["headings"]?["en"]?.string == "Kitchen")
            #expect(first.body["contents"]?["en"]?.string == "Ann has made a room with you")
            #expect(first.body["target_channel"]?.string == "push")
            let _: RoomRecord = try await told {
                world.store.renameRoom("r", to: "Garden", by: "bob", at: world.now, then: $0)
            }
            try await world.addElement(by: "cat")
            try await world.settled()
            let later = provider.taken.dropFirst(2).map { [$0.type ?? "", $0.devices.joined(separator: ",")] }
            #expect(
                Set(later) == [
                    ["room_renamed", "phone-ann"], ["room_renamed", "phone-cat"], ["element_added", "phone-ann"],
                    ["element_added", "phone-bob"],
                ])
            #expect(Set(provider.taken.map(\.key)).count == 6)
        }
    }

    @Test("do not go to users who are in the room, do not want them, have left, or have no device")
    func notSent() async throws {
        try await inWorld { world, provider in
            try await world.makeRoom("r", with: "bob", "cat")
            world.start(provider)
            try await world.settled()
            let before = provider.taken.count
            world.setLive("bob")
            try await told {
                world.store.setPushPreferences(PushPreferences(mutedRooms: ["r"]), of: "cat", then: $0)
            }
            try await world.addElement(by: "ann")
            try await world.settled()
            #expect(provider.taken.count == before)
            world.setLive()
            world.pass(seconds: 60)
            try await told {
                world.store.setPushPreferences(PushPreferences(types: ["element_added": false]), of: "cat", then: $0)
            }
            try await told { world.store.removeDevice("phone-bob", then: $0) }
            try await world.addElement(by: "ann")
            try await world.settled()
            #expect(provider.taken.count == before)
            world.stop()
            world.pass(seconds: 60)
            try await told { world.store.setDevice("phone-bob", of: "bob", session: nil, at: 5, then: $0) }
            try await world.addElement(by: "ann")
            let _: RoomRecord = try await told { world.store.removeMember("bob", from: "r", at: 9, then: $0) }
            world.start(provider)
            try await world.settled()
            #expect(provider.taken.count == before)
            #expect(world.totals.reading.ends == [.sent: 2, .inRoom: 1, .unwanted: 3, .noMember: 1])
        }
    }

    @Test("go to a user who has left the room again, though one of the same minute did not")
    func backAway() async throws {
        try await inWorld { world, provider in
            try await world.makeRoom("r", with: "bob")
            world.start(provider)
            try await world.settled()
            world.setLive("bob")
            try await world.addElement(by: "ann")
            try await world.settled()
            #expect(provider.taken.map(\.type) == ["room_created"])
            world.setLive()
            try await world.addElement(by: "ann")
            try await world.settled()
            #expect(provider.taken.map(\.type) == ["room_created", "element_added"])
        }
    }

    @Test("are one for each room, type and minute")
    func rare() async throws {
        try await inWorld { world, provider in
            try await world.makeRoom("r", with: "bob")
            world.start(provider)
            for _ in 0..<20 { try await world.addElement(by: "ann") }
            try await world.settled()
            #expect(provider.taken.map(\.type) == ["room_created", "element_added"])
            world.pass(seconds: 60)
            try await world.addElement(by: "ann")
            try await world.settled()
            #expect(provider.taken.count == 3)
        }
    }

    @Test(
        "are tried again until the provider takes them, each once",
        arguments: [
            StandIn.Mood.answers(500, [], "oops"), .answers(429, [], "{}"), .answers(503, [("Retry-After", "1")], ""),
            .answers(401, [], #"{"errors":["no key"]}"#), .answers(302, [("Location", "/x")], ""), .silent,
            .takesSilently,
        ] as [StandIn.Mood])
    func retried(mood: StandIn.Mood) async throws {
        try await inWorld { world, provider in
            provider.set(mood)
            world.start(provider, limits: PushWorld.impatient)
            try await world.makeRoom("r", with: "bob", "cat")
            try await eventually("it is not tried again") {
                world.pass(seconds: 1)
                return provider.requestCount >= 2
            }
            provider.set(.good)
            try await world.settledInTime()
            let devices: [String] = provider.taken.flatMap(\.devices)
            #expect(devices.sorted() == ["phone-bob", "phone-cat"] && provider.taken.count == 2)
            #expect(world.notices.last == .resumed)
            let totals = world.totals.reading
            #expect(totals.ends == [.sent: 2] && totals.failures > 0 && !totals.isPaused)
        }
    }

    @Test("wait while no provider listens, and are sent when one does again")
    func downAndUp() async throws {
        let world = try await PushWorld()
        defer { world.end() }
        let first = try StandIn()
        world.start(first)
        let held = try HeldPort(first.port)
        defer { held.close() }
        first.stop()
        try await world.makeRoom("r", with: "bob")
        try await eventually("it is not noticed") { !world.notices.isEmpty }
        let second = try StandIn(port: first.port)
        defer { second.stop() }
        try await world.settledInTime()
        #expect(second.taken.count == 1 && first.taken.isEmpty)
    }

    @Test("survive a restart, and are sent once although it is not known whether they were")
    func restart() async throws {
        try await inWorld { world, provider in
            // The notification is in the outbox, and no sender is running.
            try await world.makeRoom("r", with: "bob")
            try world.reopen()
            // Taken by the provider; the server ends before it hears of that.
            provider.set(.takesSilently)
            world.start(provider)
            try await eventually("it is not sent") { provider.requestCount == 1 }
            world.stop(waitingMilliseconds: 0)
            try world.reopen()
            provider.set(.good)
            world.pass(seconds: PushWorld.limits.leaseSeconds)
            world.start(provider)
            try await world.settled()
            #expect(provider.requestCount == 2 && provider.taken.count == 1)
        }
    }

    @Test("that the provider will never take are dropped, and the others sent")
    func refused() async throws {
        try await inWorld { world, provider in
            provider.set(.answers(400, [], #"{"errors":["app_id not found"]}"#))
            world.start(provider)
            try await world.makeRoom("r", with: "bob")
            try await world.settled()
            let reason = "the provider answers 400: app_id not found"
            #expect(world.notices == [.refused(type: "room_created", room: "r", reason: reason)])
            provider.set(.good)
            try await world.makeRoom("s", with: "bob")
            try await world.settled()
            #expect(provider.requestCount == 2 && provider.taken.map(\.room) == ["s"])
        }
    }

    @Test(
        "have devices forgotten that the provider does not know",
        arguments: [
            (#"{"id":"x","errors":{"invalid_player_ids":["phone-bob","phone-ann"]}}"#, []),
            (#"{"id":"","errors":["All included players are not subscribed"]}"#, ["phone-bob"]),
        ])
    func forgotten(answer: String, left: [String]) async throws {
        try await inWorld { world, provider in
            provider.set(.takes(answer))
            world.start(provider)
            try await world.makeRoom("r", with: "bob")
            try await world.settled()
            #expect(try await told { world.store.devices(of: "bob", then: $0) }.map(\.token) == left)
            // The device of another user is not removed, whatever the provider answers.
            #expect(try await told { world.store.devices(of: "ann", then: $0) }.map(\.token) == ["phone-ann"])
            #expect(world.notices == (left.isEmpty ? [.devicesForgotten(1)] : []))
        }
    }

    @Test("that have waited for a day are dropped")
    func old() async throws {
        try await inWorld { world, provider in
            try await world.makeRoom("r", with: "bob")
            world.pass(seconds: 86_400)
            world.start(provider)
            try await world.settled()
            #expect(provider.requestCount == 0 && world.notices == [.tooOld(type: "room_created", room: "r")])
        }
    }
}
