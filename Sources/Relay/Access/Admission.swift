import Identity
import Rooms
import Sessions
import Transport
import Wire

/// Who a client is, until when it has shown that, and what to do about it meanwhile.
package final class Admission {
    let person: Person
    /// Seconds since 1970; nil when it never ends.
    private(set) var expiresAt: Int64?
    /// Set for a client that can come back after its connection was lost.
    var pid: SessionID?
    /// What it comes back to, and the last that it has seen of it; until it has connected.
    var recovery: Comeback?
    /// First for the warning, then for the end; nil for a token without an end.
    var timer: LoopTimer?

    /// Apart from the admission, since few have one and not for long.
    final class Comeback {
        let lost: LostClient
        let offset: LogOffset?

        init(_ lost: LostClient, _ offset: LogOffset?) {
            self.lost = lost
            self.offset = offset
        }
    }

    let wishes: ConnectWishes

    package init(_ token: VerifiedToken, _ wishes: ConnectWishes) {
        person = Person(id: token.subject, profile: token.shown ?? Self.profile(token))
        expiresAt = token.expiresAt
        self.wishes = wishes
    }

    init(_ standing: Standing.Identity, _ wishes: ConnectWishes) {
        person = standing.person
        expiresAt = standing.expiresAt
        self.wishes = wishes
    }

    /// A user of whom the token alone is known. Applications decode a user with these members, so all are there. The
    /// token's address of mail is not shown to others.
    private static func profile(_ token: VerifiedToken) -> [UInt8] {
        let name = token.name ?? token.subject
        var profile: [UInt8] = []
        JSONWriter.write(into: &profile) { json in
            json.beginObject()
            json.member("id", token.subject)
            json.member("auth0Id", token.subject)
            json.member("email", "")
            json.member("username", name)
            json.member("firstName", name)
            json.member("dateOfBirth", unknownTime)
            json.member("createdAt", unknownTime)
            json.endObject()
        }
        // Kept as long as the client is connected, so it takes no more memory than it needs.
        return profile.withUnsafeBufferPointer { Array($0) }
    }

    private static let unknownTime = "1970-01-01T00:00:00Z"

    func extend(to expiresAt: Int64?) {
        self.expiresAt = expiresAt
    }
}

/// What a session remembers of a client that has left the namespace. The request with which the session began has been
/// forgotten by then, and with it the token that the client may rely on when it connects again.
final class Standing {
    struct Identity {
        let person: Person
        let expiresAt: Int64?
    }

    /// Nil for a client whose token did not come with the request.
    let identity: Identity?
    let isPage: Bool

    init(_ admission: Admission) {
        let (person, expiresAt) = (admission.person, admission.expiresAt)
        identity = admission.wishes.tokenIsOfRequest ? Identity(person: person, expiresAt: expiresAt) : nil
        isPage = admission.wishes.isPage
    }
}
