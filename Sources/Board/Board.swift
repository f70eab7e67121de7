import Transport
import Wire

/// The board: a page with a shared canvas, and all files that it loads. It is part of the program: there is no folder
/// to install, and no request reaches the file system.
package final class Board: HTTPService, Sendable {
    /// What the page must know of the server that it came from.
    package struct Facts: Sendable {
        /// The setting `auth`; with `open` the page asks for no token, with `accounts` it has a sign-in.
        package var auth: String
        /// Whether users can sign in with a code that the server sends to a telephone.
        package var codes: Bool
        /// Whether the server sends letters, with codes for a new password.
        package var mail: Bool
        /// Where Socket.IO answers.
        package var path: String
        /// What `/api/upload/photo` and `/api/upload/audio` take; nil where they are not there.
        package var uploads: Uploads?
        /// Whether members may record their rooms.
        package var recordings: Bool
        /// Whether bots can be invited at `/board/bots`.
        package var bots: Bool
        /// Origins at which other devices of the same network reach the page.
        package var addresses: [String]

        package struct Uploads: Sendable {
            package var photoBytesMax: Int
            package var audioBytesMax: Int

            package init(photoBytesMax: Int, audioBytesMax: Int) {
                self.photoBytesMax = photoBytesMax
                self.audioBytesMax = audioBytesMax
            }
        }

        package init(
            auth: String, codes: Bool = false, mail: Bool = false, path: String, uploads: Uploads?, bots: Bool,
            recordings: Bool = false, addresses: [String] = []
        ) {
            self.auth = auth
            self.codes = codes
            self.mail = mail
            self.path = path
            self.uploads = uploads
            self.bots = bots
            self.recordings = recordings
            self.addresses = addresses
        }
    }

    private static let scriptPath = "/board/" + BoardFile.scriptName

    private let files: [String: BoardFile]

    package init(_ facts: Facts) {
        var files: [String: BoardFile] = [:]
        for file in BoardFile.embedded { files["/board/" + file.name] = file }
        // The page itself is at the root. A link to a room is `/#room`.
        files["/"] = files.removeValue(forKey: "/board/index.html")
        files["/board/server.json"] = BoardFile(name: "server.json", Self.json(facts))
        self.files = files
    }

    private static func json(_ facts: Facts) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("auth", facts.auth)
            json.member("codes", facts.codes)
            json.member("mail", facts.mail)
            json.member("path", facts.path)
            if let uploads = facts.uploads {
                json.key("uploads")
                json.beginObject()
                json.member("photo", uploads.photoBytesMax)
                json.member("audio", uploads.audioBytesMax)
                json.endObject()
            }
            json.member("bots", facts.bots)
            json.member("recordings", facts.recordings)
            json.key("addresses")
            json.beginArray()
            for address in facts.addresses { json.string(address) }
            json.endArray()
            json.endObject()
        }
        return bytes
    }

    /// Where its files are: each at a path of its own.
    package var mount: Mount { Mount(paths: files.keys + [Self.scriptPath]) }

    package func handle(_ exchange: HTTPExchange) {
        // It is made when the first browser asks for it.
        if exchange.head.path == Self.scriptPath { return BoardFile.script.answer(exchange) }
        guard let file = files[exchange.head.path] else { return exchange.respond(404, text: "Not found\n") }
        file.answer(exchange)
    }
}
