extension Schema {
    /// The ends of accounts, and what keeps the names of limits from telling whom they are about.
    static let ends: StaticString = """
        -- When the person ended the account; null while there is one. What is in rooms refers to it for ever.
        ALTER TABLE accounts ADD COLUMN ended_at INTEGER;

        -- The key of the last room whose journal tells no more of the person; null when all are so.
        ALTER TABLE leftovers ADD COLUMN journals INTEGER DEFAULT 0;

        -- Secrets of the store: see StoreSecret.
        CREATE TABLE secrets (
            id TEXT PRIMARY KEY,
            secret TEXT NOT NULL
        ) WITHOUT ROWID;

        -- Their names were telephone numbers and addresses.
        DELETE FROM allowances
        """
}
