extension Schema {
    /// Links that let users into rooms.
    static let invitations: StaticString = """
        CREATE TABLE invitations (
            id TEXT PRIMARY KEY,
            -- Of the secret in the link.
            hash TEXT NOT NULL UNIQUE,
            room INTEGER NOT NULL REFERENCES rooms (key),
            maker TEXT NOT NULL REFERENCES accounts (id),
            created_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            uses_max INTEGER NOT NULL,
            uses INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE INDEX invitations_by_room ON invitations (room, created_at, id);
        CREATE INDEX invitations_by_maker ON invitations (maker);
        CREATE INDEX invitations_by_end ON invitations (ends_at)
        """
}
