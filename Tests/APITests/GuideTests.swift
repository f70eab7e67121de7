import Foundation
import Identity
import RoomsServer
import Store
import Testing
import Transport

/// Every call of the guide, by a client of the guide, against the server.
struct GuideTests {
    private static let secret = Array("a secret that is long enough for a test".utf8)

    private func client(_ subject: String, of server: String) throws -> GuideClient {
        let now = Int64(Date().timeIntervalSince1970)
        var token = TestToken(subject: subject, issuedAt: now, expiresAt: now + 600)
        token.email = "\(subject)@example.com"
        return GuideClient(server: server, token: try #require(token.signed(secret: Self.secret)))
    }

    private func withServer(_ body: (String) async throws -> Void) async throws {
        var configuration = ServerConfiguration()
        configuration.listen = [.tcp(.loopback, port: 0)]
        configuration.threads = 2
        configuration.auth = .hs256
        configuration.logLevel = .error
        configuration.authSecret = Secret(Self.secret)
        let store = try SQLiteStore(.memory)
        let server = try RoomsServer(configuration, Logger(configuration, environment: [:]), store: store)
        defer {
            server.stop()
            store.close()
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
