import Store
import Wire

/// How a client wants to have things of the library.
struct ItemForm {
    let links: MueJamLinks
    /// The members that it asked for; nil for all.
    let names: Set<String>?

    /// Members of a list for a first look.
    private static let lightweight: Set<String> = ["id", "title", "slug", "cover_url", "author", "content", "story_id"]

    static let query = [
        Field(
            "fields", .text(1...512), "Names of members with commas between them. Phones always get `deep_link`, too."),
        Field("lightweight", .choice(["true", "false"]), "Only what a list shows."),
    ]

    init(_ links: MueJamLinks) {
        self.links = links
        names = nil
    }

    init(_ request: MueJamRequest, _ context: MueJamContext, _ kind: LibraryItem.Kind) throws(APIError) {
        links = MueJamLinks(request, context)
        if let text = request.query.text("fields") {
            let wanted = text.split(separator: ",").map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
            let known = ItemMember.names(of: kind)
            guard let wrong = wanted.first(where: { !known.contains($0) }) else {
                names = Set(wanted)
                return
            }
            throw .invalid("fields", "has \(wrong.prefix(64)), which is none of \(known.joined(separator: ", ")).")
        }
        names = request.query.text("lightweight") == "true" ? Self.lightweight : nil
    }
}

/// A member of a thing of the library.
private enum ItemMember {
    case text(String?)
    case number(Int64?)
    case time(Int64?)
    case author(id: String, handle: String)

    static func names(of kind: LibraryItem.Kind) -> [String] {
        switch kind {
        case .story:
            [
                "id", "title", "slug", "summary", "cover_url", "author", "status", "published_at", "created_at",
                "updated_at", "web_url", "deep_link",
            ]
        case .chapter:
            [
                "id", "story_id", "title", "slug", "position", "content", "author", "status", "published_at",
                "created_at", "updated_at", "web_url", "deep_link",
            ]
        case .whisper:
            [
                "id", "content", "story_id", "chapter_id", "parent_id", "author", "created_at", "updated_at", "web_url",
                "deep_link",
            ]
        case .progress:
            ["id", "chapter_id", "story_id", "progress_percent", "created_at", "updated_at", "deep_link"]
        }
    }

    init?(_ name: String, of item: LibraryItem, _ links: MueJamLinks) {
        switch name {
        case "id": self = .text(item.id)
        case "title": self = .text(item.title)
        case "slug": self = .text(item.slug)
        case "summary": self = .text(item.text)
        case "content":
            // Lists have no text of chapters.
            if item.kind == .chapter, item.text == nil { return nil }
            self = .text(item.text)
        case "cover_url": self = .text(item.coverURL)
        case "author": self = .author(id: item.owner, handle: item.handle)
        case "status": self = .text(item.publishedAt == nil ? "draft" : "published")
        case "story_id": self = .text(item.story)
        case "chapter_id": self = .text(item.chapter)
        case "parent_id": self = .text(item.parent)
        case "position": self = .number(item.place)
        case "progress_percent": self = .number(item.percent)
        case "published_at": self = .time(item.publishedAt)
        case "created_at": self = .time(item.createdAt)
        case "updated_at": self = .time(item.updatedAt)
        case "web_url": self = .text(item.webURL(links))
        case "deep_link":
            guard links.isPhone else { return nil }
            self = .text(item.deepLink)
        default: return nil
        }
    }
}

extension JSONWriter {
    mutating func item(_ item: LibraryItem, _ form: ItemForm) {
        beginObject()
        for name in ItemMember.names(of: item.kind) {
            guard name == "deep_link" || form.names?.contains(name) ?? true,
                let member = ItemMember(name, of: item, form.links)
            else { continue }
            key(name)
            write(member)
        }
        endObject()
    }

    private mutating func write(_ member: ItemMember) {
        switch member {
        case .text(let text): if let text { string(text) } else { null() }
        case .number(let number): if let number { int(Int(number)) } else { null() }
        case .time(let time): if let time { string(UTCTime.text(time)) } else { null() }
        case .author(let id, let handle):
            beginObject()
            self.member("id", id)
            self.member("handle", handle)
            endObject()
        }
    }
}

extension APIReply {
    /// One thing, which clients may keep.
    static func item(_ item: LibraryItem, _ form: ItemForm, status: Int = 200) -> APIReply {
        var reply = APIReply.bare(status: status) { $0.item(item, form) }
        reply.lastModified = item.updatedAt
        reply.cacheControl = CacheControl(answer: "max-age=3600, must-revalidate", unchanged: "max-age=3600")
        return reply
    }

    static func items(_ page: Page<LibraryItem>, _ form: ItemForm) -> APIReply {
        .bare { json in
            json.beginObject()
            json.key("data")
            json.beginArray()
            for item in page.items { json.item(item, form) }
            json.endArray()
            json.cursor(page.next)
            json.endObject()
        }
    }
}

extension JSONWriter {
    mutating func cursor(_ next: String?) {
        key("next_cursor")
        if let next { string(OpaqueCursor.text(next)) } else { null() }
    }
}
