/// Servers that serve the same rooms together.
extension Settings {
    static let cluster: [Setting] = [
        Setting(
            "cluster-node", .cluster, optional: \.clusterNode, .count(0...63),
            "The number of this server in its cluster. Each server of a cluster has another one.",
            """
            With it the server serves the same rooms as the other nodes of the cluster. Clients may connect to any node. It \
            needs store, cluster-redis and cluster-secret.
            """),
        Setting(
            "cluster-name", .cluster, \.clusterName, .text(most: 64),
            "The name of the cluster. It is a part of the names of its channels in Redis.",
            "Clusters that share a Redis server have different names."),
        Setting(
            "cluster-redis", .cluster, optional: \.clusterRedis, .redisURLs,
            "The Redis servers through which the nodes talk, with blanks between them.",
            """
            redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS. A node uses the first that it can reach and that is a \
            primary. redis-sentinel://USER:PASSWORD@HOST:PORT/NAME, or rediss-sentinel://, is a Sentinel that is asked for the \
            primary NAME. Redis stores nothing. The nodes sign their messages and do not encrypt them. Without TLS, \
            everybody who listens between a node and Redis can read contents of rooms. A user of Redis that may subscribe to the \
            channels can always read them. A URL may hold a password: better give it as a file.
            """),
        Setting(
            "cluster-redis-file", .cluster, optional: \.clusterRedisFile, .path("FILE"),
            "File that holds the URLs of the Redis servers.",
            "Only the server's user should be able to read the file (mode 0400)."),
        Setting(
            "cluster-ca-file", .cluster, optional: \.clusterCAFile, .path("FILE"),
            "PEM file of the authorities for the certificates of the Redis servers.",
            "Without it those of the system."),
        Setting(
            "cluster-secret", .cluster, optional: \.clusterSecret, .secret,
            "The secret with which the nodes sign their messages. Better given as a file.",
            "All nodes of a cluster have the same. Nobody else who can publish in Redis can speak as a node."),
        Setting(
            "cluster-secret-file", .cluster, optional: \.clusterSecretFile, .path("FILE"),
            "File that holds the cluster's secret.",
            """
            A line end after the secret is not part of it. Only the server's user should be able to read the file (mode \
            0400).
            """),
    ]
}
