import Transport
import Wire

/// The page on which people meet in a room, with all that it loads. It is part of the program: there is no folder to
/// install, and nothing that a request names reaches the file system.
public final class Board: Sendable {
    /// What the page must know of the server that it came from.
    public struct Facts: Sendable {
        /// The setting `auth`; with `open` the page asks for no token.
        public var auth: String
        /// Where Socket.IO answers.
        public var path: String
        /// Whether `/api/upload/photo` and `/api/upload/audio` are there.
        public var uploads: Bool

        public init(auth: String, path: String, uploads: Bool) {
            self.auth = auth
            self.path = path
            self.uploads = uploads
        }
    }

    private let files: [String: BoardFile]

    public init(_ facts: Facts) {
        var files: [String: BoardFile] = [:]
        for file in BoardFile.embedded { files["/board/" + file.name] = file }
        // The page itself stands at the root, where people look for it; a link to a room is `/#room`.
        files["/"] = files.removeValue(forKey: "/board/index.html")
        files["/board/server.json"] = BoardFile(name: "server.json", Self.json(facts))
        self.files = files
    }

    private static func json(_ facts: Facts) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("auth", facts.auth)
            json.member("path", facts.path)
            json.member("uploads", facts.uploads)
            json.endObject()
        }
        return bytes
    }

    /// Answers a request for one of the board's files; false when it is for something else.
    public func answer(_ exchange: HTTPExchange) -> Bool {
        guard let file = files[exchange.head.path] else { return false }
        file.answer(exchange)
        return true
    }
}
