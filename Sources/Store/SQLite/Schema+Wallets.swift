extension Schema {
    /// Version 7: wallets, and tokens of providers that an account takes back when it ends.
    static let wallets: StaticString = """
        -- Wallets of which people have shown that they are their own.
        CREATE TABLE wallets (
            id TEXT PRIMARY KEY,
            person TEXT NOT NULL REFERENCES people (id),
            -- 0x and 40 hexadecimal digits in small letters.
            address TEXT NOT NULL,
            -- The program that has the key, such as metamask.
            kind TEXT NOT NULL,
            -- 1 for one wallet of each person, otherwise 0.
            preferred INTEGER NOT NULL,
            -- 1 if the person signs in with it, otherwise 0.
            signs_in INTEGER NOT NULL,
            -- What was told of its balances last, a JSON object; null before the first time.
            balances TEXT,
            -- When a node took it upon itself to look at the balances for the person's phones.
            claimed_at INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            used_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX wallets_by_address ON wallets (address);
        CREATE INDEX wallets_by_person ON wallets (person, created_at, id);
        CREATE INDEX wallets_by_claim ON wallets (claimed_at, id);
        CREATE UNIQUE INDEX wallets_preferred ON wallets (person) WHERE preferred = 1;

        -- Tokens with which providers end what they have given to this server.
        CREATE TABLE provider_tokens (
            id TEXT PRIMARY KEY,
            -- Null when the account has ended: then the provider is to be told.
            person TEXT REFERENCES people (id),
            kind TEXT NOT NULL,
            -- The client that the token was given to.
            client TEXT NOT NULL,
            token TEXT NOT NULL,
            -- How often the provider could not be told, and when to try again.
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX provider_tokens_by_person ON provider_tokens (person, kind);
        CREATE INDEX provider_tokens_due ON provider_tokens (due_at) WHERE person IS NULL
        """
}
