import Identity
import Transport
import Wire

/// The description of a group for people: a page of its calls, without scripts, made from the table that also answers them.
struct ReadablePage: Sendable {
    let path: String
    let content: PreparedContent

    init<Group>(_ description: OpenAPIDocument, _ routes: [Route<Group>], at path: String, document: String) {
        self.path = path
        content = PreparedContent { Self.html(description, routes, document) }
    }

    private static func html<Group>(
        _ description: OpenAPIDocument, _ routes: [Route<Group>], _ document: String
    ) -> [UInt8] {
        let (title, text) = (description.title, description.text)
        var html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark"><title>\(escaped(title))</title><style>\(style)</style>
            </head><body><main><h1>\(escaped(title))</h1><p>\(escaped(text))
            <a href="\(escaped(document))">OpenAPI</a></p>

            """
        for route in routes {
            html += section(route, description.shown(route.pattern.text), description.failures(of: route))
        }
        html +=
            "<section><h2>Contents of answers, as JSON Schema</h2><pre>\(escaped(description.schemas))</pre></section>"
        return Array((html + "</main></body></html>\n").utf8)
    }

    /// Whether somebody who opens a path wants to see the page: the path of an application, with or without a slash.
    func isOf(_ path: String) -> Bool {
        let parent = self.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return !parent.isEmpty && (path == parent || path == parent + "/")
    }

    var headers: [(String, String)] {
        var digest: [UInt8] = []
        let hash = SHA256Digest.of(Array(Self.style.utf8)) ?? []
        Base64.encode(hash.span, into: &digest)
        let style = "'sha256-\(String(decoding: digest, as: UTF8.self))'"
        return [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Security-Policy", "default-src 'none'; style-src \(style); frame-ancestors 'none'"),
        ]
    }

    private static let style = """
        body{font:1rem/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}\
        h2{font:600 1rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere;margin:2rem 0 .25rem}p{margin:.25rem 0}\
        table{border-collapse:collapse;display:block;overflow-x:auto}td,th{text-align:left;padding:.2rem .8rem .2rem 0;\
        vertical-align:top}pre{overflow-x:auto}
        """

    private static func section<Group>(_ route: Route<Group>, _ path: String, _ failures: [Int]) -> String {
        var html = "<section><h2>\(route.method.name) \(escaped(path))</h2><p>\(escaped(route.summary)) "
        html += route.isOpen ? "Needs no token.</p>" : "Needs a token.</p>"
        var fields = route.query.map { ("query", $0) }
        if case .fields(let body) = route.body { fields += body.map { ("body", $0) } }
        if !fields.isEmpty {
            html += "<table><tr><th>Field<th>In<th>Value<th>Needed"
            for (place, field) in fields {
                let text = [field.kind.words, field.note].compactMap(\.self).joined(separator: ". ")
                html += "<tr><td><code>\(escaped(field.name))</code><td>\(place)<td>\(escaped(text))"
                html += "<td>\(field.isRequired ? "yes" : "no")"
            }
            html += "</table>"
        }
        let failed = failures.map { "\($0)" }.joined(separator: ", ")
        html += "<p>Answers \(route.status)\(route.answer?.words ?? ""). May fail with \(failed).</p>"
        return html + "</section>\n"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

extension RouteAnswer {
    fileprivate var words: String {
        switch self {
        case .one(let name), .bare(let name): " with \(name)"
        case .list(let name): " with a list of \(name)"
        case .file: " with the file"
        }
    }
}

extension Field.Kind {
    /// What a value is, for people.
    fileprivate var words: String {
        switch self {
        case .text(let range): "text of \(range.lowerBound) to \(range.upperBound) characters in one line"
        case .prose(let most): "text of 1 to \(most) characters"
        case .username: "3 to 30 letters, digits, underscores and dots"
        case .email: "an e-mail address"
        case .phone: "the number of a mobile telephone, like +14155550123"
        case .password(let least): "text of at least \(least) characters"
        case .secret: "text"
        case .bytes: "bytes in base64url"
        case .wallet: "the address of a wallet, 0x…"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .id: "an id"
        case .ids(let most): "up to \(most) ids"
        case .time: "a time, like 2025-10-10T10:00:00Z"
        case .url: "an http or https URL"
        case .integer(let range):
            range.upperBound == .max
                ? "an integer from \(range.lowerBound)" : "an integer, \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true or false"
        case .switches(let names): "an object of booleans: " + names.joined(separator: ", ")
        case .json: "JSON"
        case .cursor: "a position in the list"
        }
    }
}
