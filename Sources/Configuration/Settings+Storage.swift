/// What is kept, how much of it, and whom it is told to.
extension Settings {
    static let storage: [Setting] = [
        Setting(
            "data", .storage, optional: \.data, .path("DIR"),
            "Directory for what must outlive a restart.",
            "It is made if it is not there. Without it nothing is kept."),
        Setting(
            "data-size-max", .storage, \.dataSizeMax, .size(0...1 << 50),
            "How large the database may grow; 0 for as large as the disk lets it.",
            """
            Past it changes are refused as on a full disk, and /healthz answers 503, until the bound is higher. Uploaded \
            files do not count.
            """),
        Setting(
            "journal-entries-max", .storage, \.journalEntriesMax, .count(16...1_000_000),
            "Events of a room that are kept for those who come back after a restart.",
            "Past it the oldest go; whoever needs them is told the whole room. Elements are kept in any case."),
        Setting(
            "journal-size-max", .storage, \.journalSizeMax, .size(16_384...1 << 30),
            "The same in bytes.",
            "A room that is joined first is read with all of them."),
        Setting(
            "journal-age-max", .storage, \.journalAgeMax, .duration(.seconds(60) ... .seconds(30 * 86_400)),
            "How long events are kept for those who come back.",
            "Longer than recovery-window has a use only for looking into what happened."),
        Setting(
            "deletions-age-max", .storage, \.deletionsAgeMax, .duration(.seconds(3_600) ... .seconds(3_650 * 86_400)),
            "How long a client may be away and still be told what was deleted meanwhile.",
            "Past it GET /api/rooms/{id}/elements begins anew (isReset). 4096 deletions of a room are remembered at most."
        ),
        Setting(
            "group-interval", .storage, \.groupInterval, .duration(.zero ... .seconds(1)),
            "The least time between two writes to disk, so that more changes share one.",
            "An ack takes as much longer under load. Worth raising on a disk whose flush is slow; an idle store does not wait."
        ),
    ]

    static let push: [Setting] = [
        Setting(
            "push", .push, \.push, .choice,
            "Who brings notifications to members who are not in their rooms.",
            "off sends none and keeps none. docs/PUSH.md says of what, to whom and when."),
        Setting(
            "push-app-id", .push, optional: \.pushAppID, .text(most: 128),
            "The application's id at the provider.",
            "The one with which the app on the phone is built."),
        Setting(
            "push-key", .push, optional: \.pushKey, .secret,
            "The key of the provider's REST API. Better given as a file.",
            "As with auth-secret: options and environment are seen by others."),
        Setting(
            "push-key-file", .push, optional: \.pushKeyFile, .path("FILE"),
            "File that holds the key of the provider's REST API.",
            "One line end after the key is not part of it. Give the file to the server's user alone (mode 0400)."),
        Setting(
            "push-url", .push, \.pushURL, .providerURL,
            "Where notifications are sent to.",
            "For a proxy of one's own, and for tests. Over https, since the key goes with every request."),
        Setting(
            "push-waiting-max", .push, \.pushWaitingMax, .count(1...10_000_000),
            "Notifications that wait while the provider cannot be reached.",
            "Past it the oldest are dropped. Those that have waited for a day are dropped too."),
    ]
}
