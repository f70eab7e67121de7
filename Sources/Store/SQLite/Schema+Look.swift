extension Schema {
    /// How elements look beside their place: which of them lie above, and colours of their own.
    static let look: StaticString = """
        ALTER TABLE elements ADD COLUMN z TEXT;
        ALTER TABLE elements ADD COLUMN color TEXT;
        """
}
