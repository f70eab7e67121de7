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
            -- The person may be gone: see leftovers.
            person TEXT NOT NULL,
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

        -- Passkeys that people sign in with.
        CREATE TABLE passkeys (
            -- The authenticator's id of it, in base64url.
            id TEXT PRIMARY KEY,
            person TEXT NOT NULL REFERENCES people (id),
            -- What the person calls it.
            name TEXT NOT NULL,
            -- The number of COSE.
            algorithm INTEGER NOT NULL,
            -- In base64url.
            public_key TEXT NOT NULL,
            -- How many its authenticator has made; 0 for one that does not count.
            signatures INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            used_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX passkeys_by_person ON passkeys (person, created_at);

        -- One-time codes that were sent and not used yet.
        CREATE TABLE codes (
            -- What it is for, and to whom it was sent.
            recipient TEXT PRIMARY KEY,
            -- The signing key of the hash.
            signing_key TEXT NOT NULL,
            hash TEXT NOT NULL,
            -- The network address that asked for it; empty for one that is not counted.
            address TEXT NOT NULL,
            -- Tries from that address, and from all others.
            own_tries INTEGER NOT NULL,
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

        -- People whose accounts have ended and of whose many rows some are left. They are removed a little at a time.
        CREATE TABLE leftovers (
            person TEXT PRIMARY KEY
        ) WITHOUT ROWID;

        CREATE TABLE moods (
            -- The person may be gone: see leftovers.
            person TEXT NOT NULL,
            id TEXT NOT NULL,
            scale INTEGER NOT NULL,
            note TEXT,
            -- When the person felt so.
            felt_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (person, id)
        ) WITHOUT ROWID;
        CREATE INDEX moods_by_time ON moods (person, felt_at, id);

        -- What a person has set in applications, a JSON object.
        CREATE TABLE settings (
            person TEXT PRIMARY KEY REFERENCES people (id),
            json TEXT NOT NULL
        ) WITHOUT ROWID;

        -- How a person appears to others; one person may have several.
        CREATE TABLE profiles (
            id TEXT PRIMARY KEY,
            person TEXT NOT NULL REFERENCES people (id),
            -- The number of the person's profiles that were made before.
            place INTEGER NOT NULL,
            username TEXT NOT NULL,
            display_name TEXT NOT NULL,
            bio TEXT,
            avatar TEXT,
            -- 1 for one profile of each person, otherwise 0.
            preferred INTEGER NOT NULL,
            -- A JSON object.
            settings TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX profiles_by_username ON profiles (lower(username));
        CREATE INDEX profiles_by_person ON profiles (person, place);
        CREATE UNIQUE INDEX profiles_preferred ON profiles (person) WHERE preferred = 1;

        CREATE TABLE social_accounts (
            id TEXT PRIMARY KEY,
            profile TEXT NOT NULL REFERENCES profiles (id),
            platform TEXT NOT NULL,
            -- The platform's id of the account.
            account TEXT NOT NULL,
            username TEXT NOT NULL,
            connected_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX social_accounts_once ON social_accounts (profile, platform, account);

        -- Applications of others that a profile is connected with.
        CREATE TABLE connected_apps (
            id TEXT PRIMARY KEY,
            profile TEXT NOT NULL REFERENCES profiles (id),
            name TEXT NOT NULL,
            icon TEXT,
            -- A JSON array of texts.
            permissions TEXT NOT NULL,
            connected_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX connected_apps_by_profile ON connected_apps (profile, connected_at)
        """
}
