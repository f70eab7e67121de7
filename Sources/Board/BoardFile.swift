import CBoard
import Transport

/// A file as browsers get it.
package struct BoardFile: Sendable {
    package let name: String
    let content: PreparedContent
    let headers: [(String, String)]

    package init(name: String, _ bytes: [UInt8]) {
        self.name = name
        content = PreparedContent(bytes, isTagged: true)
        // A browser asks each time whether its copy is good still, so that page and server never differ.
        headers = [("Content-Type", Self.mediaType(of: name)), ("Cache-Control", "no-cache")] + Self.guards
    }

    package var bytes: [UInt8] { content.bytes }
    /// Changes whenever the content does.
    var tag: String? { content.tag }

    /// The files that were compiled in.
    static let embedded: [BoardFile] = {
        var count = 0
        let files = UnsafeBufferPointer(start: rooms_board_files(&count), count: count)
        return files.map { file in
            BoardFile(
                name: String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }()

    static let scriptName = "board.js"

    /// The script of the board's page. Its modules have addresses of their own for other pages, which may need a part of them.
    static let script = BoardFile(
        name: scriptName,
        ScriptBundle(of: "app.js", Dictionary(uniqueKeysWithValues: embedded.map { ($0.name, $0.bytes) })).bytes)

    /// The permissions of the page: only what the board needs. Photos and recordings may come from anywhere, because
    /// users share their addresses. Nothing else is loaded from outside, and no script is inline.
    private static let guards = [
        (
            "Content-Security-Policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
            img-src 'self' blob: https: http:; media-src 'self' blob: https: http:; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'
            """
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(self), payment=(), usb=()"),
    ]

    /// Answers a request for it.
    package func answer(_ exchange: HTTPExchange) {
        guard exchange.head.method == .get || exchange.head.method == .head else {
            return exchange.respond(405, [("Allow", "GET, HEAD")], text: "Method not allowed\n")
        }
        content.answer(exchange, headers)
    }

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
