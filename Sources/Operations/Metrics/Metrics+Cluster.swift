import Cluster

/// Of nodes of a cluster; others tell nothing here.
extension Metrics {
    static let cluster: [Metric] = [
        ofNode(
            "rooms_cluster_lease_age_seconds", .gauge,
            "How long ago the node has renewed its lease. At 3 other nodes may take its rooms over."
        ) { [.init([], Double($0.leaseMilliseconds) / 1_000)] },
        ofNode("rooms_cluster_lapses_total", .counter, "How often the lease was over before it was renewed.") {
            [.init([], $0.lapses)]
        },
        ofNode("rooms_cluster_redis_up", .gauge, "1 while the node reaches Redis, otherwise 0.") {
            [.init([], $0.link.isCarried ? 1 : 0)]
        },
        ofNode(
            "rooms_cluster_cut_off", .gauge,
            "1 while the node has reached neither PostgreSQL nor Redis for 3 seconds and takes no clients, otherwise 0."
        ) { [.init([], $0.isCutOff ? 1 : 0)] },
        perPeer("rooms_cluster_node_up", .gauge, "1 while messages can be sent to the other node, otherwise 0.") {
            $0.isConnected ? 1 : 0
        },
        perPeer(
            "rooms_cluster_link_version", .gauge,
            "The version of messages to the other node; 0 when both have none in common: then they do not reach each other."
        ) { $0.version ?? 0 },
        perPeer(
            "rooms_cluster_waiting_bytes", .gauge,
            "Bytes of messages that the other node has not confirmed. Past 4 MB it gets positions later."
        ) { $0.waitingBytes },
        perPeer("rooms_cluster_messages_total", .counter, "Messages to the other node.") { $0.counts.records },
        perPeer("rooms_cluster_sent_bytes_total", .counter, "Bytes of messages to the other node.") { $0.counts.bytes },
        perPeer("rooms_cluster_frames_total", .counter, "Frames with messages that were published.") {
            $0.counts.frames
        },
        perPeer(
            "rooms_cluster_frames_again_total", .counter,
            "Frames that were published again because Redis had lost them."
        ) { $0.counts.framesAgain },
        perPeer(
            "rooms_cluster_losses_total", .counter,
            "How often everything under way to the other node was lost; the members of rooms there entered them again."
        ) { $0.counts.losses },
        ofRelay(
            "rooms_cluster_polls_passed_on_total", .counter,
            "Polling requests that came to this node and were passed on to the node of their session."
        ) { $0.sessions.passedOn },
        ofRelay("rooms_cluster_rooms_elsewhere", .gauge, "Rooms with members here whose home is another node.") {
            $0.relay?.roomsElsewhere ?? 0
        },
        ofRelay("rooms_cluster_homes_lost_total", .counter, "Rooms that another node has become home to instead.") {
            $0.relay?.totals.homesLost ?? 0
        },
        ofRelay(
            "rooms_cluster_entries_stored_again_total", .counter,
            "Changes that PostgreSQL had confirmed and lost in a failover, and that the node has stored again."
        ) { $0.relay?.totals.entriesStoredAgain ?? 0 },
        ofRelay(
            "rooms_cluster_resyncs_total", .counter,
            "How often the members of a room on one loop entered it again without a new connection."
        ) { $0.relay?.totals.resyncs ?? 0 },
    ]

    private static func ofNode(
        _ name: String, _ kind: Metric.Kind, _ help: String,
        _ read: @escaping @Sendable (ClusterReading) -> [Metric.Sample]
    ) -> Metric {
        Metric(name, kind, help) { $0.cluster.map(read) ?? [] }
    }

    private static func perPeer(
        _ name: String, _ kind: Metric.Kind, _ help: String, _ read: @escaping @Sendable (LinkReading.Peer) -> Int
    ) -> Metric {
        Metric(name, kind, ["node"], help) { server in
            server.cluster?.link.peers.map { .init(["\($0.node)"], read($0)) } ?? []
        }
    }

    private static func ofRelay(
        _ name: String, _ kind: Metric.Kind, _ help: String, _ read: @escaping @Sendable (ShardReading) -> Int
    ) -> Metric {
        Metric(name, kind, help) { server in server.cluster == nil ? [] : [.init([], server.sum(read))] }
    }
}
