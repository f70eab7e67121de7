import Store
import Transport
import Wire

/// The answer to a request.
struct APIReply: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    var body: [UInt8] = []
    /// Whether clients may keep it, and ask whether it is still the same.
    var isConditional = false
    /// The bytes of its content before it was compressed; nil where it was not looked at.
    var contentBytes: Int?
    /// When its content was changed, in seconds since 1970.
    var lastModified: Int64?
    /// The time for which clients may keep the answer. Only conditional groups use it.
    var cacheControl = CacheControl.checked
    /// Replaces the rest of the answer.
    var file: FileAnswer?

    static let noContent = APIReply(status: 204)

    /// `{"data": …}`
    static func data(status: Int = 200, _ write: (inout JSONWriter) -> Void) -> APIReply {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.key("data")
            write(&json)
            json.endObject()
        }
        return APIReply(status: status, body: body)
    }

    /// `{"data": […], "nextCursor": …}`; without the cursor on the last page.
    static func page<Item>(_ page: Page<Item>, _ write: (inout JSONWriter, Item) -> Void) -> APIReply {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.key("data")
            json.beginArray()
            for item in page.items { write(&json, item) }
            json.endArray()
            if let next = page.next { json.member("nextCursor", next) }
            json.endObject()
        }
        return APIReply(body: body)
    }
}
