/// Notifications on their way to the provider. They survive a restart, and each is sent once.
///
/// A store that notifies adds them itself, in the transaction of their event.
package protocol PushOutbox: Sendable {
    /// Adds notifications and answers how many are new: there is at most one for each user, room, type and minute.
    func enqueue(_ pushes: [Push], then answer: @escaping Answer<Int>)

    /// Leases notifications that are due, the longest due first. Until the lease ends no other caller gets them.
    func leasePushes(
        limit: Int, at now: Int64, forSeconds seconds: Int64, then answer: @escaping Answer<[LeasedPush]>)
    /// Ends a notification, so that no equal one follows. The outcome is a text for operators.
    func finishPush(_ key: Int64, outcome: String, at now: Int64, then answer: @escaping Answer<Void>)
    /// Removes a notification that need not be sent. Another one for its user, room, type and minute may follow.
    func forgetPush(_ key: Int64, then answer: @escaping Answer<Void>)
    /// Schedules another attempt.
    func retryPush(_ key: Int64, dueAt: Int64, reason: String, then answer: @escaping Answer<Void>)

    /// Begins to send a notification to one device. Answers the badge of the device, which is the same for every attempt, and
    /// whether an earlier attempt has come to an end.
    ///
    /// - Parameter counts: whether the notification is one more in the badge.
    func beginDelivery(
        _ key: Int64, to token: String, counts: Bool, then answer: @escaping Answer<(badge: Int64, isDone: Bool)>)
    /// Keeps the end of an attempt, so that the device gets no other one of this notification.
    func finishDelivery(
        _ key: Int64, to token: String, outcome: String, then answer: @escaping Answer<Void>)
    /// What became of the newest notification about a subject so far; nil when there is none.
    func pushState(
        of account: String, about subject: String, type: String, then answer: @escaping Answer<PushState?>)

    /// The time at which the next notification can be leased: it is due, and its lease has ended. Nil when none waits.
    func nextPushDue(then answer: @escaping Answer<Int64?>)
}

/// The types of notifications.
package enum PushKind: String, CaseIterable, Sendable {
    case roomCreated = "room_created"
    case roomRenamed = "room_renamed"
    case elementAdded = "element_added"
    /// Its subject is the message.
    case messageReceived = "message_received"
    /// The person has changed moods on another device.
    case moodChanged = "mood_changed"
    /// The person has changed profiles on another device.
    case profileChanged = "profile_changed"
    /// Its subject is the wallet.
    case balanceChanged = "balance_changed"

    /// Whether phones show nothing: their applications wake up and fetch what has changed.
    package var isSilent: Bool { self == .moodChanged || self == .profileChanged }

    /// The application whose devices get it, besides devices that are registered for no application of their own.
    package var app: String {
        switch self {
        case .roomCreated, .roomRenamed, .elementAdded: Device.rooms
        case .messageReceived: "subspace"
        case .moodChanged: "soul"
        case .profileChanged, .balanceChanged: "interspace"
        }
    }

    package func reaches(_ device: Device) -> Bool { device.app == Device.rooms || device.app == app }
}

/// A notification for one user.
package struct Push: Sendable, Equatable {
    package let account: String
    /// What it is about: a room, a message, a wallet, or something of an application; or a word for all of a person's things
    /// of a kind.
    package let room: String
    /// Like `element_added`.
    package let type: String
    /// The time of the event.
    package let at: Int64
    package let dueAt: Int64
    /// Further data for the provider: a JSON object.
    package let json: [UInt8]

    package init(account: String, room: String, type: String, at: Int64, dueAt: Int64, json: [UInt8]) {
        self.account = account
        self.room = room
        self.type = type
        self.at = at
        self.dueAt = dueAt
        self.json = json
    }
}

/// How far a notification has come.
package struct PushState: Sendable, Equatable {
    package let isDone: Bool
    /// What became of it, or why it was not sent yet; nil before the first attempt.
    package let outcome: String?
}

package struct LeasedPush: Sendable, Equatable {
    /// Unique. The provider recognises a retry by it.
    package let key: Int64
    package let push: Push
    /// How often it was leased, including this time.
    package let attempts: Int
}
