extension Schema {
    /// What shows whose an address is.
    static let proofs: StaticString = """
        -- The address that the provider has vouched for at the first sign-in; null for none.
        ALTER TABLE credentials ADD COLUMN email TEXT
        """
}
