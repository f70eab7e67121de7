import Accounts
import Media
import Wire

/// The description of a group, OpenAPI 3.1, made from the table that also answers its requests.
struct OpenAPIDocument {
    let title: String
    let version: String
    let text: String
    /// A JSON object of JSON Schemas: those that rows name, and `Failure`, the form of the group's failures.
    let schemas: String
    /// The status that the group gives instead of another one.
    var statusOf: @Sendable (Int) -> Int = { $0 }
    /// The beginning of the rows' paths that says to which application they belong.
    var prefix = ""
    /// Whether clients leave that out.
    var hidesPrefix = false
    /// The authentication: the name of a scheme, and the scheme.
    var security = (name: "bearer", scheme: #"{"type":"http","scheme":"bearer"}"#)

    /// - Parameter page: where the description is for people; nil for no page.
    func describe<Group>(
        _ routes: [Route<Group>], at path: String, page: String? = nil, _ limits: APILimits
    ) -> GroupDocument {
        let readable = page.map { ReadablePage(self, routes, at: $0, document: path) }
        return GroupDocument(path: path, page: readable) { json(routes, limits) }
    }

    private func json<Group>(_ routes: [Route<Group>], _ limits: APILimits) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("openapi", "3.1.0")
            json.object("info") { json in
                json.member("title", title)
                json.member("version", version)
                json.member("description", text)
            }
            json.object("paths") { json in
                for path in routes.map(\.pattern.text).uniqued() {
                    json.object(shown(path)) { json in
                        for route in routes where route.pattern.text == path {
                            json.operation(route, self, limits)
                        }
                    }
                }
            }
            json.object("components") { json in
                json.object("securitySchemes") { $0.member(security.name, raw: Array(security.scheme.utf8).span) }
                json.member("schemas", raw: Array(schemas.utf8).span)
            }
            json.endObject()
        }
        return bytes
    }

    /// The path of a row for clients.
    func shown(_ path: String) -> String { hidesPrefix ? String(path.dropFirst(prefix.count)) : path }

    /// The statuses with which any request may be refused.
    static let commonFailures = [400, 401, 403, 422, 429, 503]

    /// The statuses of a route's failures.
    func failures<Group>(of route: Route<Group>) -> [Int] {
        let ofBody = route.body.isNone ? [] : [413, 415]
        return Set((Self.commonFailures + ofBody + route.failures).map(statusOf)).sorted()
    }

    static func reason(_ status: Int) -> String {
        switch status {
        case 400: "The request cannot be read."
        case 401: "The token is missing or not valid."
        case 403: "The sender may not do this."
        case 404: "The object does not exist."
        case 409: "The request conflicts with the current state."
        case 413: "The body is too large."
        case 415: "The body has another type than the route needs."
        case 416: "The range is outside the file."
        case 422: "A field is wrong. The answer names the first wrong one."
        case 429: "Too many requests; Retry-After says how long to wait."
        case 507: "There is no space for the file."
        default: "The server cannot do this at the moment."
        }
    }
}

extension Array where Element: Equatable {
    fileprivate func uniqued() -> [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension JSONWriter {
    fileprivate mutating func object(_ name: String, _ write: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        write(&self)
        endObject()
    }

    fileprivate mutating func operation<Group>(
        _ route: Route<Group>, _ document: OpenAPIDocument, _ limits: APILimits
    ) {
        object(route.method.name.lowercased()) { json in
            json.member("operationId", document.operationID(of: route))
            json.member("summary", route.summary)
            if route.deprecation != nil { json.member("deprecated", true) }
            if !route.isOpen { json.member("security", raw: Array("[{\"\(document.security.name)\":[]}]".utf8).span) }
            json.parameters(route, limits)
            json.requestBody(route.body, limits)
            json.object("responses") { json in json.responses(route, document) }
        }
    }

    private mutating func parameters<Group>(_ route: Route<Group>, _ limits: APILimits) {
        let pathNames = route.pattern.parts.compactMap { part -> String? in
            if case .parameter(let name) = part { name } else { nil }
        }
        guard !pathNames.isEmpty || !route.query.isEmpty || route.takesIdempotencyKey else { return }
        key("parameters")
        beginArray()
        for name in pathNames { parameter(Field(name, .id, required: true), in: "path", limits) }
        for field in route.query { parameter(field, in: "query", limits) }
        if route.takesIdempotencyKey {
            parameter(
                Field(
                    "Idempotency-Key", .id, "Identifies the retries of a request: for a day they get the same answer."),
                in: "header", limits)
        }
        endArray()
    }

    private mutating func parameter(_ field: Field, in place: String, _ limits: APILimits) {
        beginObject()
        member("name", field.name)
        member("in", place)
        member("required", field.isRequired)
        if let note = field.note { member("description", note) }
        object("schema") { $0.schema(field, limits) }
        endObject()
    }

    private mutating func requestBody(_ body: RouteBody, _ limits: APILimits) {
        switch body {
        case .none: break
        case .fields(let fields):
            requestBody("application/json") { json in json.schema(of: fields, limits) }
        case .object(let schema):
            requestBody("application/json") { json in json.member("$ref", "#/components/schemas/" + schema) }
        case .chunk(let fields):
            let chunk = Field("chunk_data", .text(1...16_000_000), required: true, "The chunk in base64.")
            requestBody("application/json") { json in json.schema(of: fields + [chunk], limits) }
        case .file(let kind):
            requestBody("multipart/form-data") { json in
                json.member("type", "object")
                json.object("properties") { json in
                    json.object(kind.fieldName) { json in
                        json.member("type", "string")
                        json.member("contentMediaType", "application/octet-stream")
                    }
                }
                json.key("required")
                json.beginArray()
                json.string(kind.fieldName)
                json.endArray()
            }
        }
    }

    private mutating func requestBody(_ type: String, _ schema: (inout JSONWriter) -> Void) {
        object("requestBody") { json in
            json.member("required", true)
            json.object("content") { json in
                json.object(type) { json in json.object("schema", schema) }
            }
        }
    }

    private mutating func schema(of fields: [Field], _ limits: APILimits) {
        member("type", "object")
        object("properties") { json in
            for field in fields {
                json.object(field.name) { json in
                    json.schema(field, limits, takesNull: !field.isRequired)
                    if let note = field.note { json.member("description", note) }
                }
            }
        }
        key("required")
        beginArray()
        for field in fields where field.isRequired { string(field.name) }
        endArray()
    }

    /// - Parameter takesNull: whether `null` counts as absent.
    private mutating func schema(_ field: Field, _ limits: APILimits, takesNull: Bool = false) {
        switch field.kind {
        case .text, .prose, .username, .email, .phone, .password, .secret, .bytes, .wallet, .choice:
            type("string", takesNull)
            textSchema(field.kind, takesNull)
        case .id:
            type("string", takesNull)
            id(limits)
        case .ids(let most):
            type("array", takesNull)
            member("maxItems", most)
            object("items") { json in
                json.member("type", "string")
                json.id(limits)
            }
        case .time:
            let form = #"{"type":"string","format":"date-time"},{"type":"string","format":"date"}"#
            member("anyOf", raw: Array("[\(form)\(takesNull ? #",{"type":"null"}"# : "")]".utf8).span)
        case .url:
            type("string", takesNull)
            member("pattern", "^https?://[^\\u0000-\\u0020\\u007f]+$")
            member("maxLength", limits.urlBytesMax)
        case .integer(let range):
            type("integer", takesNull)
            member("minimum", range.lowerBound)
            if range.upperBound != .max { member("maximum", range.upperBound) }
        case .flag: type("boolean", takesNull)
        case .switches(let names):
            type("object", takesNull)
            object("properties") { json in
                for name in names { json.object(name) { $0.member("type", "boolean") } }
            }
            member("additionalProperties", false)
        case .json(let schema):
            let form = "{\"$ref\":\"#/components/schemas/\(schema)\"}"
            member("anyOf", raw: Array("[\(form)\(takesNull ? #",{"type":"null"}"# : "")]".utf8).span)
        case .cursor:
            member("type", "string")
            member("minLength", 1)
            member("maxLength", 128)
        }
    }

    /// The members of the schema of a text besides its type.
    private mutating func textSchema(_ kind: Field.Kind, _ takesNull: Bool) {
        switch kind {
        case .text(let range):
            member("minLength", range.lowerBound)
            member("maxLength", range.upperBound)
            member("pattern", Self.noControls)
        case .prose(let most):
            member("minLength", 1)
            member("maxLength", most)
            member("pattern", "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$")
        case .username:
            member("pattern", "^[A-Za-z0-9_.]{3,30}$")
        case .email:
            member(
                "pattern",
                #"^(?=[^@]{1,64}@)(?!.*@.*[A-Za-z0-9-]{64})[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$"#
            )
            member("maxLength", EmailAddress.bytesMax)
        case .phone: member("pattern", "^[+][1-9][0-9]{6,14}$")
        case .bytes:
            member("format", "base64url")
            member("pattern", "^[A-Za-z0-9_+/-]+={0,2}$")
        case .wallet: member("pattern", "^0x([0-9a-f]{40}|[0-9A-F]{40}|[0-9a-fA-F]{40})$")
        case .password(let least):
            member("format", "password")
            member("minLength", least)
        case .choice(let words):
            key("enum")
            beginArray()
            for word in words { string(word) }
            if takesNull { null() }
            endArray()
        default: break
        }
    }

    private mutating func type(_ name: String, _ takesNull: Bool) {
        if takesNull { member("type", raw: Array("[\"\(name)\",\"null\"]".utf8).span) } else { member("type", name) }
    }

    /// The length counts bytes of UTF-8, which a schema cannot express.
    private mutating func id(_ limits: APILimits) {
        member("minLength", 1)
        member("maxLength", limits.idBytesMax)
        member("pattern", Self.noControls)
    }

    private static var noControls: String { "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" }

    private mutating func responses<Group>(_ route: Route<Group>, _ document: OpenAPIDocument) {
        object("\(route.status)") { json in
            json.member("description", "Done.")
            guard let answer = route.answer else { return }
            if case .file = answer { return json.object("content") { $0.object("*/*") { _ in } } }
            json.content { json in json.answer(answer) }
        }
        if let repeated = route.repeated, route.status != 200, let answer = route.answer {
            object("200") { json in
                json.member("description", repeated)
                json.content { json in json.answer(answer) }
            }
        }
        for status in document.failures(of: route) {
            object("\(status)") { json in
                json.member("description", OpenAPIDocument.reason(status))
                json.content { $0.member("$ref", "#/components/schemas/Failure") }
            }
        }
    }

    private mutating func content(_ schema: (inout JSONWriter) -> Void) {
        object("content") { json in
            json.object("application/json") { json in json.object("schema", schema) }
        }
    }

    private mutating func answer(_ answer: RouteAnswer) {
        switch answer {
        case .file: break
        case .bare(let name): member("$ref", "#/components/schemas/" + name)
        case .one(let name):
            member("type", "object")
            object("properties") { json in
                json.object("data") { $0.member("$ref", "#/components/schemas/" + name) }
            }
            member("required", raw: Array(#"["data"]"#.utf8).span)
        case .list(of: let name):
            member("type", "object")
            object("properties") { json in
                json.object("data") { json in
                    json.member("type", "array")
                    json.object("items") { $0.member("$ref", "#/components/schemas/" + name) }
                }
                json.object("nextCursor") { json in
                    json.member("type", "string")
                    json.member("description", "The beginning of the next page; missing on the last page.")
                }
            }
            member("required", raw: Array(#"["data"]"#.utf8).span)
        }
    }
}
