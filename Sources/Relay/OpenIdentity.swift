import Rooms
import Sessions
import Wire

/// Who a client is where nobody has to say: whoever it says, or somebody new.
enum OpenIdentity {
    static func person(of socket: Socket) -> Person {
        let token =
            (try? JSONReader(socket.auth))?["token"]?.string ?? socket.session.handshake.head.queryValue("token")
        let name = token.map { String($0.prefix(64)) } ?? "guest-\(socket.id.prefix(8))"
        var profile: [UInt8] = []
        JSONWriter.write(into: &profile) { json in
            json.beginObject()
            json.member("id", name)
            json.member("username", name)
            json.endObject()
        }
        return Person(id: name, profile: profile)
    }
}
