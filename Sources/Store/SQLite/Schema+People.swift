extension Schema {
    /// Version 6: people with an account of this server, what they sign in with, their sessions, the keys of their tokens, and
    /// what their applications keep.
    static let people: StaticString = """
        CREATE TABLE people (
            id TEXT PRIMARY KEY REFERENCES accounts (id),
            name TEXT NOT NULL,
            -- Null for a person who signs in without one.
            email TEXT,
            -- When the person showed that the address is its own.
            email_verified_at INTEGER,
            role TEXT NOT NULL,
            -- The hash of the password; null for a person who cannot sign in with one.
            password TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX people_by_email ON people (lower(email));
        CREATE INDEX people_by_age ON people (created_at, id);

        -- Open sessions.
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY,
            person TEXT NOT NULL REFERENCES people (id),
            app TEXT NOT NULL,
            agent TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            -- The last sign-in or refresh.
            seen_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            -- Null for a session that is not refreshed.
            refresh_key TEXT,
            refresh_hash TEXT,
            rotated_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX sessions_by_person ON sessions (person, seen_at);
        CREATE INDEX sessions_by_end ON sessions (ends_at);

        CREATE TABLE signing_keys (
            id TEXT PRIMARY KEY,
            secret TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE messages (
            id TEXT PRIMARY KEY,
            person TEXT NOT NULL REFERENCES people (id),
            -- Null for the server. The person may be gone.
            sender TEXT,
            kind TEXT NOT NULL,
            content TEXT NOT NULL,
            read_at INTEGER,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX messages_by_person ON messages (person, created_at, id);
        CREATE INDEX messages_by_sender ON messages (person, sender, created_at, id);
        CREATE INDEX messages_unread ON messages (person) WHERE read_at IS NULL;

        -- What people sign in with, besides passwords.
        CREATE TABLE credentials (
            kind TEXT NOT NULL,
            -- A telephone number, or the name that a provider has for the person.
            subject TEXT NOT NULL,
            person TEXT NOT NULL REFERENCES people (id),
            created_at INTEGER NOT NULL,
            PRIMARY KEY (kind, subject)
        ) WITHOUT ROWID;
        CREATE INDEX credentials_by_person ON credentials (person);

        -- One-time codes that were sent and not used yet.
        CREATE TABLE codes (
            -- What it is for, and to whom it was sent.
            recipient TEXT PRIMARY KEY,
            -- The signing key of the hash.
            signing_key TEXT NOT NULL,
            hash TEXT NOT NULL,
            tries INTEGER NOT NULL,
            ends_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX codes_by_end ON codes (ends_at);

        -- What was used of limits since the beginning of their current period.
        CREATE TABLE allowances (
            name TEXT PRIMARY KEY,
            used INTEGER NOT NULL,
            ends_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX allowances_by_end ON allowances (ends_at);

        -- The numbers of people, for applications whose ids are numbers.
        CREATE TABLE person_numbers (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            person TEXT NOT NULL UNIQUE REFERENCES people (id)
        );

        CREATE TABLE moods (
            person TEXT NOT NULL REFERENCES people (id),
            id TEXT NOT NULL,
            scale INTEGER NOT NULL,
            note TEXT,
            -- When the person felt so.
            felt_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (person, id)
        ) WITHOUT ROWID;
        CREATE INDEX moods_by_time ON moods (person, felt_at, id)
        """
}
