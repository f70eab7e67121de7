/// Compression, and how the process runs and reports.
extension Settings {
    static let compression: [Setting] = [
        Setting(
            "compression", .compression, \.compression, .flag,
            "Compress large messages for clients that offer permessage-deflate.",
            "It costs processor time and saves bytes on the line. A client that offers it connects in both cases."),
        Setting(
            "compression-threshold", .compression, \.compressionThreshold, .size(0...67_108_864),
            "The smallest message that the server compresses.",
            "Small messages gain little and cost as much."),
    ]

    static let operation: [Setting] = [
        Setting(
            "drain-timeout", .operation, \.drainTimeout, .duration(.zero ... .seconds(3600)),
            "How long a stopping server waits for its clients to leave.",
            """
            Past it the server closes the remaining connections; a node of a cluster then has up to 30 s more to give its \
            rooms away. The service manager must wait longer (systemd: TimeoutStopSec).
            """),
        Setting(
            "drain-window", .operation, \.drainWindow, .duration(.zero ... .seconds(3600)),
            "The time over which a stopping server spreads the closing of its sessions.",
            """
            The server tells each client when it will be closed, so that not all clients reconnect at once to another \
            server or the next one. It uses at most four fifths of drain-timeout.
            """),
        Setting(
            "log-level", .operation, \.logLevel, .choice,
            "The lowest level that the server logs.",
            "info has no line per message, debug has one or more per connection, and trace one per packet."),
        Setting(
            "log-format", .operation, \.logFormat, .choice,
            "text for users, json for programs; auto is text on a terminal and json elsewhere.",
            "Lines go to standard error. NO_COLOR in the environment turns colours off."),
        Setting(
            "pid-file", .operation, optional: \.pidFile, .path("FILE"),
            "The file to which the server writes its process id.",
            "The server removes it when it stops."),
        Setting(
            "metrics-listen", .operation, list: \.metricsListen, .listen,
            "The addresses at which the server offers /metrics for Prometheus; may be repeated.",
            """
            These addresses offer nothing else, over plain HTTP. They need no token on loopback and Unix sockets, and \
            operator-token where other machines can reach them. A loop of its own answers, so that the metrics of a \
            busy server can be read too.
            """),
        Setting(
            "flight-recorder", .operation, list: \.flightRecorder, .text(most: 128),
            "Rooms whose inputs are recorded for finding defects; may be repeated.",
            """
            rooms refly replays what was done to such a room, and compares each tick. The files have all that users write \
            in these rooms, and the room's shard writes them, which costs time with each tick. See docs/RECORDING.md.
            """),
        Setting(
            "flight-recorder-dir", .operation, optional: \.flightRecorderDir, .path("DIR"),
            "Directory for flight-recorder; by default `flights` in the data directory.",
            "Each room has two files, of which the older is replaced. The server makes the directory if it is missing."),
        Setting(
            "flight-recorder-size-max", .operation, \.flightRecorderSizeMax, .size(65_536...1 << 36),
            "How many bytes of inputs of a room are kept for flight-recorder.",
            "Past it the older half goes. Each half begins with the state of the room, which does not count."),
        Setting(
            "operator-token", .operation, optional: \.operatorToken, .secret,
            "The token for /console, and for /metrics on this port. Better given as a file.",
            """
            Without a token the server offers neither. An operator with the token sees every room, and may close \
            rooms and stop the server.
            """
        ),
        Setting(
            "operator-token-file", .operation, optional: \.operatorTokenFile, .path("FILE"),
            "File that holds the operators' token.",
            """
            A line end after the token is not part of it. Only the server's user should be able to read the file \
            (mode 0400).
            """),
    ]
}
