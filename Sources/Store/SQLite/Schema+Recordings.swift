extension Schema {
    /// Recordings of rooms. The files have the id as their name.
    static let recordings: StaticString = """
        CREATE TABLE recordings (
            id TEXT PRIMARY KEY,
            -- The room's id: a room that nothing was stored of yet has no other.
            room TEXT NOT NULL,
            -- The user who started it; NULL for the server itself, and for an account that has ended.
            starter TEXT,
            -- The recording of the room that lost its home, and that goes on in this one.
            previous TEXT,
            -- The life of the node that writes it; 0 and 0 for a server that is not part of a cluster.
            writer INTEGER NOT NULL,
            writer_boot INTEGER NOT NULL,
            -- Milliseconds since 1970. ended_at is NULL while it runs.
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            -- Why it has ended.
            reason TEXT,
            bytes INTEGER NOT NULL DEFAULT 0,
            -- The time of its newest event, in milliseconds since it began.
            duration INTEGER NOT NULL DEFAULT 0,
            -- 1 when bytes and duration are those of the whole file, which nobody writes any more.
            settled INTEGER NOT NULL DEFAULT 0,
            -- 1 when it is to be deleted.
            doomed INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX recordings_running ON recordings (room) WHERE ended_at IS NULL;
        CREATE INDEX recordings_unsettled ON recordings (started_at, id) WHERE settled = 0;
        CREATE INDEX recordings_by_previous ON recordings (previous) WHERE previous IS NOT NULL;
        CREATE INDEX recordings_by_room ON recordings (room, started_at, id);
        CREATE INDEX recordings_by_time ON recordings (started_at, id);
        CREATE INDEX recordings_by_starter ON recordings (starter, id)
        """
}
