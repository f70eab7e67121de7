extension Schema {
    /// Proofs of who has an address, and from which network a session was refreshed.
    static let proofs: StaticString = """
        -- The address that the provider has vouched for at the first sign-in; null for none.
        ALTER TABLE credentials ADD COLUMN email TEXT;
        -- A hash of the network of the last sign-in or refresh, made with the session's key.
        ALTER TABLE sessions ADD COLUMN refresh_network TEXT
        """
}
