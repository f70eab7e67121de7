/// Stored data and notifications.
extension Settings {
    static let storage: [Setting] = [
        Setting(
            "data", .storage, optional: \.data, .path("DIR"),
            "Directory for everything that survives a restart.",
            "The server makes it if it is missing. Without it and without store the server keeps nothing."),
        Setting(
            "store", .storage, optional: \.store, .storeURL,
            "PostgreSQL database that has everything but uploaded files.",
            """
            Without it the data directory has everything. A URL of libpq, such as \
            postgresql://rooms@db.example.org/rooms?sslmode=verify-full. It may hold a password: better give it as a file.
            """),
        Setting(
            "store-file", .storage, optional: \.storeFile, .path("FILE"),
            "File that holds the URL of the PostgreSQL database.",
            "Only the server's user should be able to read the file (mode 0400)."),
        Setting(
            "data-size-max", .storage, \.dataSizeMax, .size(0...1 << 50),
            "How large the database may grow; 0 for no limit but the disk.",
            """
            Past it the server refuses changes as on a full disk, and /healthz answers 503, until the limit is \
            raised. Uploaded files do not count. It does not bound a PostgreSQL database.
            """),
        Setting(
            "journal-entries-max", .storage, \.journalEntriesMax, .count(16...1_000_000),
            "How many events of a room are kept for clients that come back after a restart.",
            """
            Past it the oldest events are deleted. A client that needs them gets the whole room instead. Elements are \
            always kept.
            """),
        Setting(
            "journal-size-max", .storage, \.journalSizeMax, .size(16_384...1 << 30),
            "How many bytes of a room's events are kept for the same purpose.",
            "The server reads all of them when the first client joins a room."),
        Setting(
            "journal-age-max", .storage, \.journalAgeMax, .duration(.seconds(60) ... .seconds(30 * 86_400)),
            "How long events are kept for clients that come back.",
            "More than recovery-window is useful only for investigations."),
        Setting(
            "deletions-age-max", .storage, \.deletionsAgeMax, .duration(.seconds(3_600) ... .seconds(3_650 * 86_400)),
            "How long a client may be away and still learn of deleted elements.",
            """
            Later, GET /api/rooms/{id}/elements begins anew (isReset). The server remembers at most 4096 deletions of \
            a room.
            """
        ),
        Setting(
            "group-interval", .storage, \.groupInterval, .duration(.zero ... .seconds(1)),
            "The least time between two writes to disk, so that more changes share one write.",
            """
            Under load an ack takes longer by this time. Raise it on a disk with a slow flush. An idle store does not \
            wait.
            """
        ),
    ]

    static let push: [Setting] = [
        Setting(
            "push", .push, \.push, .choice,
            "Whether OneSignal delivers notifications to members who are not in their rooms.",
            """
            fcm-key-file and apns-key-file add Google's and Apple's services. Without any of the three the server sends \
            none and keeps none. docs/PUSH.md lists the notifications, their recipients and their times.
            """),
        Setting(
            "push-app-id", .push, optional: \.pushAppID, .text(most: 128),
            "The id of the application at the provider.",
            "The id with which the app on the phone is built."),
        Setting(
            "push-key", .push, optional: \.pushKey, .secret,
            "The key of the provider's REST API. Better given as a file.",
            "As with auth-secret: other users and programs can read options and the environment."),
        Setting(
            "push-key-file", .push, optional: \.pushKeyFile, .path("FILE"),
            "File that holds the key of the provider's REST API.",
            """
            A line end after the key is not part of it. Only the server's user should be able to read the file (mode \
            0400).
            """),
        Setting(
            "push-url", .push, \.pushURL, .providerURL,
            "The address to which the server sends notifications.",
            "For a private proxy, and for tests. Over https, because each request contains the key."),
        Setting(
            "fcm-key-file", .push, optional: \.fcmKeyFile, .path("FILE"),
            "File of a Google service account that sends to Android devices through FCM.",
            """
            The JSON file that Firebase's console makes under "Service accounts". Only the server's user should be able to \
            read the file (mode 0400). Without it Android devices get nothing through FCM.
            """),
        Setting(
            "fcm-url", .push, \.fcmURL, .providerURL,
            "The address of FCM.",
            "For a private proxy, and for tests."),
        Setting(
            "apns-key-file", .push, optional: \.apnsKeyFile, .path("FILE"),
            "File of the key that sends to Apple's devices through APNs.",
            """
            The .p8 file of a token key, from Apple's developer pages. Only the server's user should be able to read the \
            file (mode 0400). Without it Apple's devices get nothing through APNs.
            """),
        Setting(
            "apns-key-id", .push, optional: \.apnsKeyID, .text(most: 64),
            "The id of the key for APNs.",
            "Ten letters and digits, which Apple shows beside the key."),
        Setting(
            "apns-team-id", .push, optional: \.apnsTeamID, .text(most: 64),
            "The id of the developer team at Apple that the key belongs to.",
            "Ten letters and digits."),
        Setting(
            "apns-topic", .push, optional: \.apnsTopic, .text(most: 255),
            "The bundle id of the app on Apple's devices.",
            "Such as org.example.rooms. An app that shares the server has a setting of its own, and the same team."),
        appTopic("subspace", "Subspace", \.subspaceAPNsTopic),
        appTopic("interspace", "Interspace", \.interspaceAPNsTopic),
        appTopic("soul", "SOUL", \.soulAPNsTopic),
        appTopic("muejam", "MueJam", \.muejamAPNsTopic),
        Setting(
            "apns-url", .push, \.apnsURL, .providerURL,
            "The address of APNs.",
            "https://api.sandbox.push.apple.com for apps that were installed by Xcode."),
        Setting(
            "push-ca-file", .push, optional: \.pushCAFile, .path("FILE"),
            "File of the authorities that vouch for the providers of notifications, in PEM.",
            "Without it those of the system do."),
        Setting(
            "push-waiting-max", .push, \.pushWaitingMax, .count(1...10_000_000),
            "How many notifications wait while the provider cannot be reached.",
            "Past it the server drops the oldest. It also drops notifications that have waited for a day."),
    ]

    /// The bundle id of an application that is not the one for rooms.
    private static func appTopic(_ name: String, _ title: String, _ field: Field<String?>) -> Setting {
        Setting(
            "\(name)-apns-topic", .push, optional: field, .text(most: 255),
            "The bundle id of \(title) on Apple's devices, by default apns-topic.",
            "It belongs to the same team at Apple. On Android all apps belong to the project of fcm-key-file.")
    }
}
