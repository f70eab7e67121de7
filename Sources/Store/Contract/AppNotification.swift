/// A notification of an application for the phones of one person.
///
/// `data` names what it is about. Phones get it as it is: `type` and `deep_link` are members of it there, too.
package struct AppNotification: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case whisperReply = "whisper_reply"
        case storyUpdate = "story_update"
        case newFollower = "new_follower"
        case whisperLike = "whisper_like"
    }

    package let kind: Kind
    /// Whom it is for.
    package let person: String
    package let title: String
    package let body: String
    /// In the order in which phones get it.
    package let data: [Item]

    package struct Item: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    init(_ kind: Kind, for person: String, title: String, body: String, data: [Item]) {
        self.kind = kind
        self.person = person
        self.title = title
        self.body = body
        self.data = data
    }

    // MARK: What happens

    package static func whisperReply(
        for person: String, by name: String, whisper: String, reply: String
    ) -> AppNotification {
        AppNotification(
            .whisperReply, for: person, title: "New Reply", body: "\(name) replied to your whisper",
            data: [
                Item("whisper_id", whisper), Item("reply_id", reply), Item("deep_link", "muejam://whisper/\(whisper)"),
            ])
    }

    package static func storyUpdate(
        for person: String, by author: String, of title: String, story: String, chapter: String
    ) -> AppNotification {
        AppNotification(
            .storyUpdate, for: person, title: "New Chapter", body: "\(author) published a new chapter in \(title)",
            data: [
                Item("story_id", story), Item("chapter_id", chapter), Item("deep_link", "muejam://chapter/\(chapter)"),
            ])
    }

    package static func newFollower(for person: String, by name: String, user: String) -> AppNotification {
        AppNotification(
            .newFollower, for: person, title: "New Follower", body: "\(name) started following you",
            data: [Item("user_id", user), Item("deep_link", "muejam://profile/\(user)")])
    }

    package static func whisperLike(
        for person: String, by name: String, whisper: String, user: String
    ) -> AppNotification {
        AppNotification(
            .whisperLike, for: person, title: "New Like", body: "\(name) liked your whisper",
            data: [
                Item("whisper_id", whisper), Item("user_id", user), Item("deep_link", "muejam://whisper/\(whisper)"),
            ])
    }
}
