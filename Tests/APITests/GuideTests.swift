import Configuration
import Foundation
import Identity
import Logging
import RoomsServer
import Store
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Every call of the guide, by a client of the guide, against the server.
struct GuideTests {
    private static let secret = Array("a secret that is long enough for a test".utf8)

    private func client(_ subject: String, of server: String) throws -> GuideClient {
        let now = Int64(Date().timeIntervalSince1970)
        var token = TestToken(subject: subject, issuedAt: now, expiresAt: now + 600)
        token.email = "\(subject)@example.com"
        return GuideClient(server: server, token: try #require(token.signed(secret: Self.secret)))
    }

    private func withServer(
        auth: AuthMode = .hs256, isStoring: Bool = true, _ body: (String) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.listen = [.tcp(.loopback, port: 0)]
        configuration.threads = 2
        configuration.auth = auth
        configuration.logLevel = .error
        // A machine that runs all tests at once is slow to answer a heartbeat.
        configuration.pingInterval = .seconds(300)
        configuration.connectTimeout = .seconds(300)
        if auth == .hs256 { configuration.authSecret = Secret(Self.secret) }
        let files = NSTemporaryDirectory() + "rooms-guide-" + UUID().uuidString
        configuration.media = files
        configuration.mediaFreeMin = 0
        let store = isStoring ? try DatabaseStore(.memory) : nil
        let server = try RoomsServer(configuration, Logger(configuration, environment: [:]), store: store)
        defer {
            server.stop()
            store?.close()
            try? FileManager.default.removeItem(atPath: files)
        }
        try await body(try #require(server.addresses.first))
    }

    @Test func aNewcomerGoesFromTheFirstLoginToASharedRoom() async throws {
        try await withServer { server in
            let (ann, ben) = (try client("auth0|ann", of: server), try client("auth0|ben", of: server))
            #expect(try await ann.call("GET", "/api/auth/verify", as: GuideVerification.self).profileComplete == false)
            let user = try await ann.completeProfile("ann")
            #expect(user.email == "auth0|ann@example.com" && user.auth0Id == "auth0|ann")
            #expect(user.dateOfBirth == Date(timeIntervalSince1970: -1_000_000))
            #expect(try await ann.call("GET", "/api/auth/verify", as: GuideVerification.self).user == user)
            let other = try await ben.completeProfile("ben")

            let found: [GuideUser] = try await ann.call("GET", "/api/users/search?username=be")
            #expect(found.map(\.id) == [other.id])
            let strangers: [GuideUser] = try await ann.call("GET", "/api/users/without-rooms")
            #expect(strangers.map(\.id) == [other.id])

            let room: GuideRoom = try await ann.call("POST", "/api/rooms", ["otherUserId": other.id])
            #expect(room.creator == user && room.participants.map(\.userId) == [user.id, other.id])
            let named: GuideRoom = try await ben.call("PUT", "/api/rooms/\(room.id)/name", ["name": "Ours"])
            #expect(named.name == "Ours")
            let people: [GuidePerson] = try await ben.call("GET", "/api/rooms/grouped-by-person")
            #expect(people.map(\.username) == ["ann"] && people.first?.rooms.map(\.id) == [room.id])
            let told: GuideSuccess = try await ann.call("PUT", "/api/notifications/player-id", ["playerId": "p1"])
            #expect(told.success)
        }
    }

    @Test func picturesAndRecordingsAreUploadedAsTheGuideDoes() async throws {
        try await withServer { server in
            let ann = try client("ann", of: server)
            let jpeg = Data(try Form.fixture("corners.jpg"))
            // Before the profile, of which it is a part.
            let avatar: GuideAvatar = try await ann.upload("avatar", jpeg, name: "avatar.jpg", type: "image/jpeg")
            _ = try await ann.call("GET", "/api/auth/verify", as: GuideVerification.self)
            _ = try await ann.completeProfile("ann", avatarUrl: avatar.avatarUrl)
            let me: GuideUser = try await ann.call("GET", "/api/auth/me")
            #expect(me.avatarUrl == avatar.avatarUrl)
            // The guide leaves out values that the user has not chosen anew.
            #expect(try await ann.completeProfile("ann", avatarUrl: nil).avatarUrl == avatar.avatarUrl)
            let photo: GuidePhoto = try await ann.upload("photo", jpeg, name: "p.jpg", type: "image/jpeg")
            let sound = Data(try Form.fixture("tone.m4a"))
            let audio: GuideAudio = try await ann.upload("audio", sound, name: "a.m4a", type: "audio/m4a")
            #expect(audio.duration > 0)
            for url in [avatar.avatarUrl, photo.imageUrl, audio.audioUrl] {
                let (data, _) = try await URLSession.shared.data(from: try #require(URL(string: url)))
                #expect(!data.isEmpty)
            }
        }
    }

    /// A server for a first try has no data directory and asks for no tokens: its people have no profiles.
    @Test(arguments: [true, false]) func peopleInARoomDecodeAsUsers(isStoring: Bool) async throws {
        try await withServer(auth: .open, isStoring: isStoring) { server in
            let (ann, ben) = (GuideSocket(server: server, token: "ann"), GuideSocket(server: server, token: "ben"))
            try await ann.connect()
            try await ben.connect()
            try await ann.emit("room:join", ["roomId": "lobby"])
            let joined: GuideJoined = try await ann.next("room:joined")
            #expect(joined.participants.map(\.user.username) == ["ann"])
            try await ben.emit("room:join", ["roomId": "lobby"])
            let coming: GuideArrival = try await ann.next("user:joined")
            #expect(coming.user.id == "ben" && coming.user.firstName == "ben" && coming.user.email.isEmpty)
            #expect(coming.user.dateOfBirth == Date(timeIntervalSince1970: 0))
            let both: GuideJoined = try await ben.next("room:joined")
            #expect(both.participants.map(\.user.id) == ["ann", "ben"] && both.participants.last?.user == coming.user)
        }
    }

    @Test func aFailureSaysASentence() async throws {
        try await withServer { server in
            let ann = try client("ann", of: server)
            await #expect(throws: GuideClient.Failure.self) {
                let _: GuideUser = try await ann.completeProfile("a")
            }
            let nobody = GuideClient(server: server, token: "nonsense")
            let refusal = GuideClient.Failure(
                status: 401, message: "The token does not have three parts with dots between them.")
            await #expect(throws: refusal) {
                let _: [GuideUser] = try await nobody.call("GET", "/api/users/without-rooms")
            }
        }
    }
}
