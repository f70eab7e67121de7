import Rooms
import Sessions
import Wire

/// Who a client is where nobody has to say: whoever it says, or somebody new.
enum OpenIdentity {
    static func person(of socket: Socket) -> Person {
        let token =
            (try? JSONReader(socket.auth))?["token"]?.string ?? socket.session.handshake.head.queryValue("token")
        let name = token.map(shortened).flatMap { $0.isEmpty ? nil : $0 } ?? "guest-\(socket.id.prefix(8))"
        var profile: [UInt8] = []
        JSONWriter.write(into: &profile) { json in
            json.beginObject()
            json.member("id", name)
            json.member("username", name)
            json.endObject()
        }
        return Person(id: name, profile: profile)
    }

    /// What others are shown with each event stays short. Single letters may be of any length.
    private static func shortened(_ name: String) -> String {
        var short = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in name.unicodeScalars {
            byteCount += scalar.utf8.count
            guard byteCount <= nameBytesMax else { break }
            short.append(scalar)
        }
        return String(short)
    }

    private static let nameBytesMax = 128
}
