import Store
import Wire

/// People as other people see them, and their followers.
enum MueJamReaders {
    static let all: [MueJamRoute] = [
        MueJamRoute(.get, "/muejam/v1/profiles/me", "The sender as others see it.", answer: .bare("Profile"), me),
        MueJamRoute(
            .put, "/muejam/v1/profiles/me", "Chooses a handle, before others know the one that was given.",
            body: [Field("handle", .username, required: true, "Small letters, digits and underscores.")],
            answer: .bare("Profile"), failures: [409], setHandle),
        MueJamRoute(
            .get, "/muejam/v1/profiles/{profile}", "A person, by id or handle.", answer: .bare("Profile"),
            failures: [404], one),
        MueJamRoute(
            .post, "/muejam/v1/profiles/{profile}/follow", "The sender follows the person.", answer: .bare("Follow"),
            failures: [404, 409], follow(true)),
        MueJamRoute(
            .delete, "/muejam/v1/profiles/{profile}/follow", "The sender follows the person no more.",
            answer: .bare("Follow"), failures: [404, 409], follow(false)),
        MueJamRoute(
            .get, "/muejam/v1/profiles/{profile}/followers", "Who follows the person.", query: MueJamRequest.paging,
            answer: .bare("Profiles"), failures: [404], list(followers: true)),
        MueJamRoute(
            .get, "/muejam/v1/profiles/{profile}/following", "Whom the person follows.", query: MueJamRequest.paging,
            answer: .bare("Profiles"), failures: [404], list(followers: false)),
    ]

    static func known(_ name: String, _ context: MueJamContext) async throws(APIError) -> LibraryAuthor {
        guard let author = try await context.ask({ $0.author(name, then: $1) }) else { throw .notFound("profile") }
        return author
    }

    @Sendable private static func me(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let actor = try request.actor()
        let author = try await context.ask { $0.ownAuthor(actor, then: $1) }
        return .bare { $0.profile(author, MueJamLinks(request, context)) }
    }

    @Sendable private static func setHandle(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (actor, handle) = (try request.actor(), request.body.text("handle") ?? "")
        guard handle.utf8.allSatisfy({ ASCII.isDigit($0) || $0 &- 0x61 < 26 || $0 == UInt8(ascii: "_") }),
            handle != "me"
        else { throw .invalid("handle", "must have 3 to 30 small letters, digits and underscores.") }
        let author = try await context.ask { $0.setHandle(handle, of: actor, then: $1) }
        return .bare { $0.profile(author, MueJamLinks(request, context)) }
    }

    @Sendable private static func one(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (person, author) = (
            try request.person().id, try await known(request.parameter("profile"), context)
        )
        let isFollowed = try await context.ask { $0.isFollowing(person, author.person, then: $1) }
        return .bare { $0.profile(author, MueJamLinks(request, context), isFollowed: isFollowed) }
    }

    private static func follow(_ isOn: Bool) -> MueJamRoute.Handler {
        { (request, context) async throws(APIError) in
            let done = try await context.change(
                .follow(request.parameter("profile"), isOn), by: try request.actor())
            return .bare { json in
                json.beginObject()
                json.member("user_id", done.id)
                json.member("following", isOn)
                json.endObject()
            }
        }
    }

    private static func list(followers: Bool) -> MueJamRoute.Handler {
        { (request, context) async throws(APIError) in
            let (author, page) = (try await known(request.parameter("profile"), context), try request.page())
            let found = try await context.ask { $0.follows(of: author.person, followers: followers, page, then: $1) }
            let links = MueJamLinks(request, context)
            return .bare { json in
                json.beginObject()
                json.key("data")
                json.beginArray()
                for author in found.items { json.shortProfile(author, links) }
                json.endArray()
                json.cursor(found.next)
                json.endObject()
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func profile(_ author: LibraryAuthor, _ links: MueJamLinks, isFollowed: Bool = false) {
        beginObject()
        names(of: author, links)
        member("follower_count", author.followers)
        member("following_count", author.following)
        member("story_count", author.stories)
        member("followed", isFollowed)
        endObject()
    }

    fileprivate mutating func shortProfile(_ author: LibraryAuthor, _ links: MueJamLinks) {
        beginObject()
        names(of: author, links)
        endObject()
    }

    private mutating func names(of author: LibraryAuthor, _ links: MueJamLinks) {
        member("id", author.person)
        member("handle", author.handle)
        member("name", author.name)
        member("web_url", links.web("profile", author.handle))
        if links.isPhone { member("deep_link", MueJamLinks.deep("profile", author.person)) }
    }
}
