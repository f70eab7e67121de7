extension Schema {
    /// What operators have done.
    static let operators: StaticString = """
        -- Users and addresses that may not use the server until a time.
        CREATE TABLE bans (
            -- 'person' or 'address'.
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            reason TEXT NOT NULL,
            made_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            PRIMARY KEY (kind, subject)
        ) WITHOUT ROWID;
        CREATE INDEX bans_by_end ON bans (ends_at);

        -- Every action of operators, refused tokens, and when servers began.
        CREATE TABLE audit (
            -- Milliseconds since 1970.
            at INTEGER NOT NULL,
            id TEXT NOT NULL,
            -- The node that wrote it; 0 for a server that is not part of a cluster. (Homes have the name `node`.)
            server INTEGER NOT NULL,
            -- The address of the operator; empty for what a server did by itself.
            operator TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            outcome TEXT NOT NULL,
            PRIMARY KEY (at, id)
        ) WITHOUT ROWID
        """
}
