extension Schema {
    /// What keeps versions apart that members were told and that were lost with their server: `StartTable`.
    static let eras: StaticString = """
        CREATE TABLE starts (
            id TEXT PRIMARY KEY,
            -- How often a server has begun to use the store.
            number INTEGER NOT NULL,
            -- When the database's server was started at the newest count, by its clock: `StartTable.countRestart`.
            database_at INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        -- How often the room was claimed without having been given away, and how often it had to be read anew because the store
        -- had something else than its members were told.
        ALTER TABLE rooms ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
        -- Starts and losses when the element got its version.
        ALTER TABLE elements ADD COLUMN era INTEGER NOT NULL DEFAULT 0
        """
}
