extension Schema {
    /// What shows whose an address and a session are.
    static let proofs: StaticString = """
        -- The address that the provider has vouched for at the first sign-in; null for none.
        ALTER TABLE credentials ADD COLUMN email TEXT;
        -- A hash of the network of the last sign-in or refresh, made with the session's key.
        ALTER TABLE sessions ADD COLUMN refresh_network TEXT
        """
}
