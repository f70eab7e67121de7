extension Schema {
    /// The ends of accounts.
    static let ends: StaticString = """
        -- When the person ended the account; null while there is one. What is in rooms refers to it for ever.
        ALTER TABLE accounts ADD COLUMN ended_at INTEGER
        """
}
