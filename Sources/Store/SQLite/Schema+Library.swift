extension Schema {
    /// A library: stories with chapters, whispers about them, and how far people have read. Every change has a number.
    static let library: StaticString = """
        -- One row, which every change of the library locks until it is stored: so numbers are given in the order of commits.
        CREATE TABLE library_clock (
            id TEXT PRIMARY KEY,
            -- The number of the newest change, and its time. A later change has no earlier time.
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            -- How many changes have this time.
            used INTEGER NOT NULL,
            -- Deletions before this time are not remembered.
            forgotten_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        -- People as others see them in the library.
        CREATE TABLE authors (
            person TEXT PRIMARY KEY REFERENCES people (id),
            handle TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        -- Stories, chapters, whispers and progress, also deleted ones.
        CREATE TABLE library (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            -- The person may be gone: see leftovers.
            owner TEXT NOT NULL,
            story TEXT,
            chapter TEXT,
            -- The whisper that this one replies to.
            parent TEXT,
            slug TEXT,
            title TEXT,
            body TEXT,
            cover_url TEXT,
            place INTEGER,
            percent INTEGER,
            -- Null for a draft.
            published_at INTEGER,
            -- When others could see it first.
            shown_at INTEGER,
            created_at INTEGER NOT NULL,
            -- Its version: greater with each change.
            updated_at INTEGER NOT NULL,
            deleted_at INTEGER,
            -- When each field was changed last, a JSON object.
            edits TEXT NOT NULL,
            -- The change by which it became as it is.
            changed_at INTEGER NOT NULL,
            number INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX library_by_slug ON library (kind, slug);
        CREATE INDEX library_by_change ON library (kind, changed_at, number);
        CREATE INDEX library_own_changes ON library (owner, kind, changed_at, number);
        CREATE INDEX library_by_owner ON library (owner, kind, created_at, id);
        CREATE INDEX library_by_time ON library (kind, published_at, id);
        CREATE INDEX library_by_place ON library (story, kind, place, id);
        CREATE INDEX library_by_story ON library (story, kind, created_at, id);
        CREATE INDEX library_replies ON library (parent, created_at, id);
        CREATE UNIQUE INDEX library_progress ON library (owner, chapter) WHERE kind = 'progress';
        CREATE INDEX library_deleted ON library (deleted_at) WHERE deleted_at IS NOT NULL;

        -- As lists have them: with the handle of the owner, without the text of a chapter.
        CREATE VIEW library_items AS
            SELECT library.id, kind, owner, handle, story, chapter, parent, slug, title,
                CASE WHEN kind = 'chapter' THEN NULL ELSE body END AS text, cover_url, place, percent, published_at,
                shown_at, library.created_at, updated_at, deleted_at, changed_at, number
            FROM library LEFT JOIN authors ON authors.person = library.owner;

        CREATE TABLE follows (
            -- The people may be gone: see leftovers.
            follower TEXT NOT NULL,
            followed TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (follower, followed)
        ) WITHOUT ROWID;
        CREATE INDEX follows_by_followed ON follows (followed, follower);

        CREATE TABLE likes (
            -- The person may be gone: see leftovers.
            person TEXT NOT NULL,
            item TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (person, item)
        ) WITHOUT ROWID;
        CREATE INDEX likes_by_item ON likes (item, person)
        """
}
