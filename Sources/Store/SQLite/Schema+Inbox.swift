extension Schema {
    /// The order of messages that a person got in the same second.
    static let inbox: StaticString = """
        ALTER TABLE messages ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        DROP INDEX messages_by_person;
        DROP INDEX messages_by_sender;
        CREATE INDEX messages_by_person ON messages (person, created_at, number, id);
        CREATE INDEX messages_by_sender ON messages (person, sender, created_at, number, id);
        """
}
