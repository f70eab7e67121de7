import Relay
import Rooms

extension Metrics {
    static let rooms: [Metric] = [
        .perShard("rooms_clients", .gauge, "Clients that are connected to the namespace of rooms.") {
            Double($0.relay?.clients ?? 0)
        },
        .perShard("rooms_rooms", .gauge, "Rooms in use, on the loop that is their home.") {
            Double($0.relay?.rooms ?? 0)
        },
        .total("rooms_rooms_loading", .gauge, "Rooms that are being read from the store.") {
            $0.relay?.roomsLoading ?? 0
        },
        .total("rooms_rooms_settling", .gauge, "Empty rooms whose changes are not all stored yet.") {
            $0.relay?.roomsSettling ?? 0
        },
        kept("rooms_memory_rooms", "Without data: empty rooms whose contents are in memory.", \.rooms),
        kept("rooms_memory_rooms_bytes", "Memory of these empty rooms. Its bound is memory-rooms-size-max.", \.bytes),
        .perShard("rooms_memberships", .gauge, "Connections in rooms, counted once for each room.") {
            Double($0.relay?.totals.memberships ?? 0)
        },
        .total("rooms_participants", .gauge, "Users in rooms, including those in the grace after a lost connection.") {
            $0.relay?.totals.participants ?? 0
        },
        .total("rooms_elements", .gauge, "Elements of the rooms in use.") { $0.relay?.totals.elements ?? 0 },
        .total("rooms_log_bytes", .gauge, "Memory of the logs of rooms, including the copy of each loop.") {
            $0.relay?.totals.logBytes ?? 0
        },
        .total("rooms_lost_clients", .gauge, "Lost connections whose clients can still come back and continue.") {
            $0.relay?.lostClients ?? 0
        },
        Metric(
            "rooms_events_total", .counter, ["event"],
            "Events from clients, including refused ones."
        ) { server in
            let events = server.answered.compactMap { $0.reading.relay?.totals.eventsByName }
            guard let first = events.first else { return [] }
            return first.indices.map { index in
                .init([first[index].name], events.reduce(0) { $0 + $1[index].count })
            }
        },
        Metric("rooms_errors_total", .counter, ["code"], "Refused events, by the code that the client got.") {
            server in
            RoomError.Code.allCases.map { code in
                .init([code.rawValue], server.sum { $0.relay?.totals.refused(code) ?? 0 })
            }
        },
        Metric(
            "rooms_limited_total", .counter, ["limit"],
            "Events and connects that were refused because they came too often, by the setting of the limit."
        ) { server in
            let excesses = server.answered.compactMap { $0.reading.relay?.totals.excessBySetting }
            guard let first = excesses.first else { return [] }
            return first.indices.map { index in
                .init([first[index].setting], excesses.reduce(0) { $0 + $1[index].count })
            }
        },
        Metric(
            "rooms_recoveries_total", .counter, ["outcome"],
            "Clients that came back with a pid: recovered ones continued, refused ones had to begin anew."
        ) { server in
            [
                .init(["recovered"], server.sum { $0.relay?.totals.recoveries ?? 0 }),
                .init(["refused"], server.sum { $0.relay?.totals.recoveriesRefused ?? 0 }),
            ]
        },
        Metric(
            "rooms_recovered_rooms_total", .counter, ["outcome"],
            "Rooms of recovered clients: resumed from the log, or told anew because the log did not reach back."
        ) { server in
            [
                .init(["resumed"], server.sum { $0.relay?.totals.roomsResumed ?? 0 }),
                .init(["told_anew"], server.sum { $0.relay?.totals.roomsToldAnew ?? 0 }),
            ]
        },
    ]

    static let touches: [Metric] = [
        .perShard("rooms_touches_taken_total", .counter, "Touch positions that rooms have accepted.") {
            Double($0.relay?.totals.touchesTaken ?? 0)
        },
        .perShard(
            "rooms_touches_ticked_total", .counter,
            "Touch positions that were sent with a tick. Newer positions had overwritten the others."
        ) { Double($0.relay?.totals.touchesTicked ?? 0) },
        .perShard("rooms_touches_sent_total", .counter, "Touch positions that were written to members.") {
            Double($0.relay?.totals.touchesSent ?? 0)
        },
        .perShard("rooms_ticks_total", .counter, "Ticks with a delta for members.") {
            Double($0.relay?.totals.ticks ?? 0)
        },
        .total("rooms_log_entries_total", .counter, "Entries of the logs of rooms: events that must not be lost.") {
            $0.relay?.totals.entriesLogged ?? 0
        },
        .perShard("rooms_deliveries_total", .counter, "Writes of a tick to a member, one for each.") {
            Double($0.relay?.totals.updates ?? 0)
        },
        .total("rooms_catch_ups_total", .counter, "Members that were behind and got what they had missed.") {
            $0.relay?.totals.catchUps ?? 0
        },
        .total(
            "rooms_lost_members_total", .counter,
            "Members that were further behind than the log reached back: they had to join again."
        ) { $0.relay?.totals.lostMembers ?? 0 },
    ]

    private static func kept(
        _ name: String, _ help: String, _ read: @escaping @Sendable ((rooms: Int, bytes: Int)) -> Int
    ) -> Metric {
        Metric(name, .gauge, help) { server in [.init([], server.kept.map(read) ?? 0)] }
    }
}
