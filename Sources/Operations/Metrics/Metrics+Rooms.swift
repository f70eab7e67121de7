import Relay
import Rooms

extension Metrics {
    static let rooms: [Metric] = [
        .perShard("rooms_clients", .gauge, "Clients that are connected to rooms' namespace.") {
            Double($0.relay?.clients ?? 0)
        },
        .perShard("rooms_rooms", .gauge, "Rooms in use, on the loop that orders them.") {
            Double($0.relay?.rooms ?? 0)
        },
        .total("rooms_rooms_loading", .gauge, "Rooms that are being read from the store.") {
            $0.relay?.roomsLoading ?? 0
        },
        .total("rooms_rooms_settling", .gauge, "Rooms that nobody is in and that are not stored to their end.") {
            $0.relay?.roomsSettling ?? 0
        },
        kept("rooms_memory_rooms", "Without data: rooms that nobody is in, kept in memory.", \.rooms),
        kept("rooms_memory_rooms_bytes", "Memory of those rooms. Its bound is memory-rooms-size-max.", \.bytes),
        .perShard("rooms_memberships", .gauge, "Connections in rooms, counted once for each room.") {
            Double($0.relay?.totals.memberships ?? 0)
        },
        .total("rooms_participants", .gauge, "People in rooms, those whose connection was just lost included.") {
            $0.relay?.totals.participants ?? 0
        },
        .total("rooms_elements", .gauge, "Elements of the rooms in use.") { $0.relay?.totals.elements ?? 0 },
        .total("rooms_log_bytes", .gauge, "Memory of rooms' logs, of every loop's copy.") {
            $0.relay?.totals.logBytes ?? 0
        },
        .total("rooms_lost_clients", .gauge, "Lost connections that may still come back and go on.") {
            $0.relay?.lostClients ?? 0
        },
        Metric(
            "rooms_events_total", .counter, ["event"],
            "Events that came from clients, those that were refused included."
        ) { server in
            let events = server.answered.compactMap { $0.reading.relay?.totals.eventsByName }
            guard let first = events.first else { return [] }
            return first.indices.map { index in
                .init([first[index].name], events.reduce(0) { $0 + $1[index].count })
            }
        },
        Metric("rooms_errors_total", .counter, ["code"], "Events that were refused, by what clients were told.") {
            server in
            RoomError.Code.allCases.map { code in
                .init([code.rawValue], server.sum { $0.relay?.totals.refused(code) ?? 0 })
            }
        },
        Metric(
            "rooms_limited_total", .counter, ["limit"],
            "Events and connects that came too often, by the setting whose bound they were beyond."
        ) { server in
            let excesses = server.answered.compactMap { $0.reading.relay?.totals.excessBySetting }
            guard let first = excesses.first else { return [] }
            return first.indices.map { index in
                .init([first[index].setting], excesses.reduce(0) { $0 + $1[index].count })
            }
        },
        Metric(
            "rooms_recoveries_total", .counter, ["outcome"],
            "Clients that said they were here before: those that went on, and those that had to begin anew."
        ) { server in
            [
                .init(["recovered"], server.sum { $0.relay?.totals.recoveries ?? 0 }),
                .init(["refused"], server.sum { $0.relay?.totals.recoveriesRefused ?? 0 }),
            ]
        },
        Metric(
            "rooms_recovered_rooms_total", .counter, ["outcome"],
            "Rooms of recovered clients: sent what they missed, or told anew since the log did not reach back."
        ) { server in
            [
                .init(["resumed"], server.sum { $0.relay?.totals.roomsResumed ?? 0 }),
                .init(["told_anew"], server.sum { $0.relay?.totals.roomsToldAnew ?? 0 }),
            ]
        },
    ]

    static let touches: [Metric] = [
        .perShard("rooms_touches_taken_total", .counter, "Positions that rooms have taken in.") {
            Double($0.relay?.totals.touchesTaken ?? 0)
        },
        .perShard(
            "rooms_touches_ticked_total", .counter,
            "Positions that went out with a tick; the others were overwritten by newer ones before."
        ) { Double($0.relay?.totals.touchesTicked ?? 0) },
        .perShard("rooms_touches_sent_total", .counter, "Positions that were written to members.") {
            Double($0.relay?.totals.touchesSent ?? 0)
        },
        .perShard("rooms_ticks_total", .counter, "Ticks in which rooms told something.") {
            Double($0.relay?.totals.ticks ?? 0)
        },
        .total("rooms_log_entries_total", .counter, "Entries of rooms' logs: what must not be lost.") {
            $0.relay?.totals.entriesLogged ?? 0
        },
        .perShard("rooms_deliveries_total", .counter, "Members that were written a tick, in one write each.") {
            Double($0.relay?.totals.updates ?? 0)
        },
        .total("rooms_catch_ups_total", .counter, "Members that were behind and were written what they lacked.") {
            $0.relay?.totals.catchUps ?? 0
        },
        .total(
            "rooms_lost_members_total", .counter,
            "Members so far behind that the log did not reach back to them: they had to join again."
        ) { $0.relay?.totals.lostMembers ?? 0 },
    ]

    private static func kept(
        _ name: String, _ help: String, _ read: @escaping @Sendable ((rooms: Int, bytes: Int)) -> Int
    ) -> Metric {
        Metric(name, .gauge, help) { server in [.init([], server.kept.map(read) ?? 0)] }
    }
}
