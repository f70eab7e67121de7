/// Notifications on their way to the provider. What is in it outlives a restart, and is sent once.
///
/// A store that notifies puts them in by itself, together with what they tell of.
package protocol PushOutbox: Sendable {
    /// Puts notifications into the outbox and answers how many are new: of each person, room, type and minute there is at
    /// most one.
    func enqueue(_ pushes: [Push], then answer: @escaping Answer<Int>)

    /// Takes notifications that are due, the longest due first. Until the lease has run out nobody else gets them.
    func leasePushes(
        limit: Int, at now: Int64, forSeconds seconds: Int64, then answer: @escaping Answer<[LeasedPush]>)
    /// A notification is done with, and none like it follows. The outcome is for people.
    func finishPush(_ key: Int64, outcome: String, at now: Int64, then answer: @escaping Answer<Void>)
    /// A notification was not to be sent: another of its person, room, type and minute may be.
    func forgetPush(_ key: Int64, then answer: @escaping Answer<Void>)
    /// To be tried again.
    func retryPush(_ key: Int64, dueAt: Int64, reason: String, then answer: @escaping Answer<Void>)

    /// When the next notification can be taken: it is due, and no lease on it runs. Nil when none waits.
    func nextPushDue(then answer: @escaping Answer<Int64?>)
}

/// What people are notified of.
package enum PushKind: String, CaseIterable, Sendable {
    case roomCreated = "room_created"
    case roomRenamed = "room_renamed"
    case elementAdded = "element_added"
}

/// A notification for one person.
package struct Push: Sendable, Equatable {
    package let account: String
    package let room: String
    /// Like `element_added`.
    package let type: String
    /// When it happened.
    package let at: Int64
    package let dueAt: Int64
    /// What the provider needs to know besides: a JSON object.
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

package struct LeasedPush: Sendable, Equatable {
    /// Never used twice: also the key by which the provider knows a retry.
    package let key: Int64
    package let push: Push
    /// How often it has been taken, this time included.
    package let attempts: Int
}
