-- A database of version 6, as servers of that version left it.
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
CREATE TABLE probe (bytes BLOB);

INSERT INTO accounts VALUES ('u1', 'auth0|1', 'ann@example.org', 'ann', 'Ann', 631152000, NULL, 100, 110);
INSERT INTO accounts VALUES ('u2', 'auth0|2', 'bob@example.org', NULL, NULL, NULL, NULL, 120, 120);
INSERT INTO rooms VALUES (1, 'r', 'Kitchen', 'u1', 130, 200, NULL, 4, 1, 1, 0, 2, 14, 190);
INSERT INTO members VALUES ('u1', 1, 0, 130, NULL);
INSERT INTO members VALUES ('u2', 1, 1, 140, 150);
INSERT INTO journal VALUES (1, 3, 'user:left', 190, '{"a":1}', 'u2');
INSERT INTO journal VALUES (1, 4, 'x', 200, '{"b":2}', NULL);
INSERT INTO elements VALUES (1, 'e1', 1, 1, 'note', '"u1"', 150, 1, NULL, NULL, '2:u1c', NULL, '1', '2.50', '3', '4', '"hi"', NULL, NULL, NULL);
INSERT INTO elements VALUES (1, 'e2', 2, 4, 'photo', '"u1"', 160, 2, NULL, NULL, NULL, 200, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
PRAGMA application_id = 1380929357;

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
CREATE INDEX media_uses_by_holder ON media_uses (holder);

INSERT INTO devices VALUES ('phone', 'u1', 180);
INSERT INTO pushes VALUES (7, 'u1', 'r', 'element_added', 3, '{}', 180, 0, NULL, NULL, NULL);
CREATE UNIQUE INDEX accounts_by_name ON accounts (lower(username));

CREATE TABLE moves (
    source TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    -- Null while rows are missing.
    done_at INTEGER
);

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
ALTER TABLE seats ADD COLUMN node INTEGER;

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
CREATE INDEX connected_apps_by_profile ON connected_apps (profile, connected_at);

INSERT INTO people VALUES ('u1', 'Ann', 'ann@example.org', 160, 'user', NULL, 160, 160);
INSERT INTO passkeys VALUES ('p', 'u1', 'Phone', -7, 'k', 3, 160, 160);
PRAGMA user_version = 6;
