extension Settings {
    static let accounts: [Setting] = [
        Setting(
            "apps", .accounts, list: \.apps, .choice, none: "none",
            "The applications whose interfaces the server has beside its own: names, or all.",
            """
            Each is below a path of its own, such as /subspace. Their users sign up with an address and a password, and \
            have one account for all of them. With auth accounts the same account is the user in rooms.
            """),
        Setting(
            "password-memory", .accounts, \.passwordMemory, .size(8 << 20...1 << 30),
            "Memory for the hash of a password (Argon2id). Two hashes are made at a time.",
            """
            The more memory and passes a hash takes, the longer guessing takes for somebody who has stolen the \
            database. At the next sign-in of a user the hash is made anew with the new costs.
            """),
        Setting(
            "password-passes", .accounts, \.passwordPasses, .count(1...100),
            "How many times the hash of a password goes over its memory.",
            "A hash with the default costs takes 50 to 100 ms of one core."),
    ]
}
