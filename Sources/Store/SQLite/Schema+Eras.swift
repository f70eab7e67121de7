extension Schema {
    /// What keeps versions apart that members were told and that were lost with their server: `DatabaseStore.countStart`.
    static let eras: StaticString = """
        CREATE TABLE starts (
            id TEXT PRIMARY KEY,
            -- How often a server has begun to use the store since the first.
            number INTEGER NOT NULL
        ) WITHOUT ROWID;
        -- How often the room was claimed without having been given away.
        ALTER TABLE rooms ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
        -- Starts and losses when the element got its version.
        ALTER TABLE elements ADD COLUMN era INTEGER NOT NULL DEFAULT 0
        """
}
