/// Recordings of rooms.
extension Settings {
    static let recordings: [Setting] = [
        Setting(
            "recordings", .recordings, \.recordings, .flag,
            "Members may record their rooms.",
            """
            The server writes the file, and tells everybody in the room. It needs a store, and a place for the files: \
            recordings-dir, or what that is by default. Where it is off, recordings are neither made nor delivered nor \
            deleted. See docs/RECORDING.md.
            """),
        Setting(
            "record-rooms", .recordings, list: \.recordRooms, .text(most: 128),
            "Rooms that the server records by itself, by their ids; may be repeated.",
            """
            `*` stands for any text, so `*` alone is every room. A room is recorded while somebody is in it. Its members \
            are told, and cannot stop it.
            """),
        Setting(
            "recordings-dir", .recordings, optional: \.recordingsDir, .path("DIR"),
            "Directory for recordings; by default `recordings` in the data directory.",
            """
            In a cluster without media-bucket it is by default `recordings` in the directory of uploads, and all nodes \
            must share it. With media-bucket each node has a directory of its own, and sends recordings to the bucket \
            while they grow. When recordings-dir is set, recordings do not go into the bucket. The server makes the \
            directory if it is missing, and begins no recording when it has less than media-free-min left.
            """),
        Setting(
            "recording-size-max", .recordings, \.recordingSizeMax, .size(65_536...1 << 40),
            "The size at which a recording ends.",
            "A room of record-rooms goes on in a new recording."),
        Setting(
            "recordings-size-max", .recordings, \.recordingsSizeMax, .size(0...1 << 50),
            "The size of all recordings.",
            "Past it those of the user who has the most are deleted, the oldest first. Those that run stay."),
        Setting(
            "recordings-max", .recordings, \.recordingsMax, .count(0...1_000_000),
            "The number of all recordings.",
            "Past it those of the user who has the most are deleted, the oldest first. Those that run stay."),
        Setting(
            "recordings-age-max", .recordings, \.recordingsAgeMax, .duration(.zero ... .seconds(100 * 31_536_000)),
            "How long after its end a recording is kept; 0 for no limit.",
            "Then it is deleted, within a minute."),
    ]
}
