extension Schema {
    /// The versions of messages between nodes that each node speaks, and what is known of its lease. Nodes from before speak the
    /// first version.
    static let links: StaticString = """
        ALTER TABLE nodes ADD COLUMN link_min INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE nodes ADD COLUMN link_max INTEGER NOT NULL DEFAULT 1;
        -- How often its lease was over before it was renewed, since its start.
        ALTER TABLE nodes ADD COLUMN lapses INTEGER NOT NULL DEFAULT 0;
        -- Since when it has renewed its lease without a pause, in milliseconds since 1970 by the database's clock. The
        -- default is later than any time: a node whose program does not write it vouches for nobody.
        ALTER TABLE nodes ADD COLUMN renewing_since INTEGER NOT NULL DEFAULT 9007199254740991;
        """
}
