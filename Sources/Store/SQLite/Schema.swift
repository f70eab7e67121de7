/// The steps of the schema. Times are seconds since 1970.
enum Schema {
    /// Version 1: users, rooms, elements, journals.
    static let rooms: StaticString = """
        CREATE TABLE accounts (
            id TEXT PRIMARY KEY,
            -- The subject of the person's tokens.
            sub TEXT NOT NULL UNIQUE,
            email TEXT NOT NULL,
            -- Null until the profile is complete.
            username TEXT UNIQUE COLLATE NOCASE,
            first_name TEXT,
            date_of_birth INTEGER,
            avatar_url TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE rooms (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT,
            -- Null for a room that came to be when somebody joined it.
            created_by TEXT REFERENCES accounts (id),
            created_at INTEGER NOT NULL,
            -- The newest change of the room or of what is on it.
            active_at INTEGER NOT NULL,
            closed_at INTEGER,
            -- The newest entry of its log.
            seq INTEGER NOT NULL DEFAULT 0,
            element_count INTEGER NOT NULL DEFAULT 0,
            tombstone_count INTEGER NOT NULL DEFAULT 0,
            -- The newest change among the deletions that are no longer remembered.
            forgotten_seq INTEGER NOT NULL DEFAULT 0,
            journal_count INTEGER NOT NULL DEFAULT 0,
            journal_bytes INTEGER NOT NULL DEFAULT 0,
            -- Not later than the oldest entry that is kept.
            journal_oldest_at INTEGER
        );
        CREATE INDEX rooms_by_oldest_entry ON rooms (journal_oldest_at) WHERE journal_count > 0;

        CREATE TABLE members (
            account TEXT NOT NULL REFERENCES accounts (id),
            room INTEGER NOT NULL REFERENCES rooms (key),
            -- The number of those who were in the room before.
            place INTEGER NOT NULL,
            joined_at INTEGER NOT NULL,
            left_at INTEGER,
            PRIMARY KEY (account, room)
        ) WITHOUT ROWID;
        CREATE INDEX members_by_room ON members (room, place);

        CREATE TABLE journal (
            room INTEGER NOT NULL REFERENCES rooms (key),
            seq INTEGER NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            json TEXT NOT NULL,
            -- Whoever does not get it.
            except_for TEXT,
            PRIMARY KEY (room, seq)
        ) WITHOUT ROWID;

        CREATE TABLE elements (
            room INTEGER NOT NULL REFERENCES rooms (key),
            id TEXT NOT NULL,
            -- The entry of the log that made it, and the one that changed it last.
            created_seq INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            kind TEXT NOT NULL,
            -- This and the values are JSON.
            created_by TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            version INTEGER NOT NULL,
            updated_at INTEGER,
            updated_by TEXT,
            -- What its creator's client called it.
            creation TEXT,
            -- Set on what was deleted: it has no values any more.
            deleted_at INTEGER,
            position_x TEXT,
            position_y TEXT,
            width TEXT,
            height TEXT,
            content TEXT,
            image_url TEXT,
            audio_url TEXT,
            duration TEXT,
            PRIMARY KEY (room, id)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX elements_by_change ON elements (room, seq);
        CREATE INDEX tombstones ON elements (deleted_at) WHERE deleted_at IS NOT NULL;

        -- Always empty. Written to when nobody writes, to see whether a failing disk has been mended.
        CREATE TABLE probe (bytes BLOB)
        """

    /// Version 2: answers to retries, notifications, files.
    static let services: StaticString = """
        -- Of the room when it logged this.
        ALTER TABLE journal ADD COLUMN incarnation INTEGER NOT NULL DEFAULT 0;

        -- People who have come and of whom the journal has not said that they left.
        CREATE TABLE present (
            room INTEGER NOT NULL REFERENCES rooms (key),
            person TEXT NOT NULL,
            PRIMARY KEY (room, person)
        ) WITHOUT ROWID;

        -- Connections in rooms.
        CREATE TABLE seats (
            pid TEXT NOT NULL,
            room TEXT NOT NULL,
            person TEXT NOT NULL,
            incarnation INTEGER NOT NULL,
            -- Null for those that are there.
            lost_at INTEGER,
            PRIMARY KEY (pid, room)
        ) WITHOUT ROWID;
        CREATE INDEX seats_lost ON seats (lost_at) WHERE lost_at IS NOT NULL;

        CREATE TABLE answers (
            account TEXT NOT NULL,
            key TEXT NOT NULL,
            -- Tells whether a retry asks for the same.
            fingerprint TEXT NOT NULL,
            answer TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (account, key)
        ) WITHOUT ROWID;
        CREATE INDEX answers_by_time ON answers (at);

        CREATE TABLE devices (
            id TEXT PRIMARY KEY,
            account TEXT NOT NULL REFERENCES accounts (id),
            seen_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX devices_by_account ON devices (account, seen_at);

        CREATE TABLE push_types (
            account TEXT NOT NULL REFERENCES accounts (id),
            type TEXT NOT NULL,
            is_on INTEGER NOT NULL,
            PRIMARY KEY (account, type)
        ) WITHOUT ROWID;

        CREATE TABLE muted_rooms (
            account TEXT NOT NULL REFERENCES accounts (id),
            room TEXT NOT NULL,
            PRIMARY KEY (account, room)
        ) WITHOUT ROWID;

        CREATE TABLE pushes (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            account TEXT NOT NULL,
            room TEXT NOT NULL,
            type TEXT NOT NULL,
            -- Minutes since 1970: of each account, room, type and minute there is one.
            minute INTEGER NOT NULL,
            json TEXT NOT NULL,
            due_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            leased_until INTEGER,
            done_at INTEGER,
            -- What became of it, or why it was not sent yet.
            outcome TEXT
        );
        CREATE UNIQUE INDEX pushes_once ON pushes (account, room, type, minute);
        CREATE INDEX pushes_by_due_time ON pushes (due_at) WHERE done_at IS NULL;
        CREATE INDEX pushes_done ON pushes (done_at) WHERE done_at IS NOT NULL;

        CREATE TABLE media (
            key TEXT PRIMARY KEY,
            owner TEXT NOT NULL REFERENCES accounts (id),
            kind TEXT NOT NULL,
            mime TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            width INTEGER,
            height INTEGER,
            duration REAL,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX media_by_age ON media (created_at);

        CREATE TABLE media_uses (
            media TEXT NOT NULL,
            -- What shows it: an element or a person.
            holder TEXT NOT NULL,
            PRIMARY KEY (media, holder)
        ) WITHOUT ROWID;
        CREATE INDEX media_uses_by_holder ON media_uses (holder)
        """

    /// Version 3: usernames are the same whatever the case of their letters, and PostgreSQL has the same words for it.
    static let usernames: StaticString = """
        CREATE UNIQUE INDEX accounts_by_name ON accounts (lower(username))
        """

    /// Version 4: moves of other stores to this one.
    static let moves: StaticString = """
        CREATE TABLE moves (
            source TEXT NOT NULL,
            begun_at INTEGER NOT NULL,
            -- Null while rows are missing.
            done_at INTEGER
        )
        """

    /// Version 5: the nodes of a cluster, and which of them is home to which room.
    static let homes: StaticString = """
        CREATE TABLE nodes (
            id INTEGER NOT NULL PRIMARY KEY,
            -- One more with each start of the node.
            boot INTEGER NOT NULL,
            -- Milliseconds since 1970, by the database's clock.
            lease_until INTEGER NOT NULL,
            version TEXT NOT NULL,
            -- 1 if an operator wants the node to hand over its rooms and end.
            draining INTEGER NOT NULL DEFAULT 0,
            -- What the node says of itself, a JSON object; empty until it has said something.
            report TEXT NOT NULL DEFAULT '',
            -- When another node noticed that its lease was over; null until then.
            ended_at INTEGER
        ) WITHOUT ROWID;

        -- The node that is home to the room, and its boot when it became that.
        ALTER TABLE rooms ADD COLUMN home INTEGER;
        ALTER TABLE rooms ADD COLUMN home_boot INTEGER;
        -- How often the room was given a home.
        ALTER TABLE rooms ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
        -- A random number of the newest claim: what an earlier home appends is refused.
        ALTER TABLE rooms ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

        -- What the room's next home needs to keep the place of somebody whose client is on another node.
        ALTER TABLE present ADD COLUMN slot INTEGER;
        ALTER TABLE present ADD COLUMN joined_at INTEGER;
        ALTER TABLE present ADD COLUMN profile TEXT;
        -- The node of the connection.
        ALTER TABLE seats ADD COLUMN node INTEGER
        """
}
