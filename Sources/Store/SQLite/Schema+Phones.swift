extension Schema {
    /// Devices that providers of platforms reach, and uploads in chunks.
    static let phones: StaticString = """
        -- How the application names the device; null for one of OneSignal.
        ALTER TABLE devices ADD COLUMN name TEXT;
        -- The key is the device's token for the provider of this platform.
        ALTER TABLE devices ADD COLUMN platform TEXT NOT NULL DEFAULT 'onesignal';
        -- The application whose notifications it gets.
        ALTER TABLE devices ADD COLUMN app TEXT NOT NULL DEFAULT 'rooms';
        ALTER TABLE devices ADD COLUMN app_version TEXT;
        ALTER TABLE devices ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
        -- By type, whether the device gets such notifications, a JSON object. A missing type is wanted.
        ALTER TABLE devices ADD COLUMN types TEXT NOT NULL DEFAULT '{}';
        -- Notifications since the application was opened last.
        ALTER TABLE devices ADD COLUMN badge INTEGER NOT NULL DEFAULT 0;
        -- The session of the user's sign-in on it, which may have ended; null when it is not known.
        ALTER TABLE devices ADD COLUMN session TEXT;

        -- What notifications under way mean to devices that get a request of their own each.
        CREATE TABLE deliveries (
            push INTEGER NOT NULL,
            device TEXT NOT NULL,
            badge INTEGER NOT NULL,
            -- What became of it; null until the provider has answered.
            outcome TEXT,
            PRIMARY KEY (push, device)
        ) WITHOUT ROWID;

        -- Files that come in chunks, and what became of them.
        CREATE TABLE uploads (
            id TEXT PRIMARY KEY,
            account TEXT NOT NULL REFERENCES accounts (id),
            filename TEXT NOT NULL,
            -- As the client says; the content decides.
            mime TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            chunk_bytes INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            -- When it is abandoned; null for one that is complete.
            ends_at INTEGER,
            -- What it was made into; null until it is complete.
            media TEXT,
            -- A picture of a video.
            poster TEXT,
            -- What is wrong with the file, so that none can be made of it; null while that is not known.
            failure TEXT,
            -- How often a file was to be made of the chunks, and was not because of what they have.
            attempts INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE INDEX uploads_by_account ON uploads (account, created_at);
        CREATE INDEX uploads_by_end ON uploads (ends_at) WHERE ends_at IS NOT NULL;

        CREATE TABLE upload_chunks (
            upload TEXT NOT NULL REFERENCES uploads (id),
            number INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (upload, number)
        ) WITHOUT ROWID
        """
}
