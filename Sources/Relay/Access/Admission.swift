import Identity
import Rooms
import Sessions
import Transport
import Wire

/// A client's identity, the end of its token, and the timer that acts on that end.
package final class Admission {
    let person: Person
    /// Seconds since 1970; nil for a token that never expires.
    private(set) var expiresAt: Int64?
    /// The session of an account of this server whose token let the client in; nil for other tokens.
    private(set) var session: String?
    /// Set for a client that can come back after its connection is lost.
    var pid: SessionID?
    /// Set for a client that comes back, until it has connected.
    var recovery: Comeback?
    /// Fires first for the warning, then for the end; nil for a token that never expires.
    var timer: LoopTimer?

    /// The lost connection that a client claims, and what the client has seen of it. It is apart from the admission,
    /// because few clients have one, and not for long.
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
        // Others do not see the token's e-mail address.
        person =
            token.shown.map { Person(id: token.subject, profile: $0) }
            ?? Person(id: token.subject, name: token.name ?? token.subject)
        expiresAt = token.expiresAt
        session = token.session
        self.wishes = wishes
    }

    init(_ standing: Standing.Identity, _ wishes: ConnectWishes) {
        person = standing.person
        expiresAt = standing.expiresAt
        session = standing.session
        self.wishes = wishes
    }

    /// The client has shown a newer token of the same user.
    func extend(by token: VerifiedToken) {
        expiresAt = token.expiresAt
        session = token.session
    }
}

/// What a session remembers of a client that has left the namespace. The session's request has been forgotten by then,
/// and with it the token, on which the client may rely when it connects again.
final class Standing {
    struct Identity {
        let person: Person
        let expiresAt: Int64?
        let session: String?
    }

    /// Nil for a client whose token did not come with the request.
    let identity: Identity?
    let isPage: Bool
    let touches: DeliveryForm

    init(_ admission: Admission) {
        let identity = Identity(
            person: admission.person, expiresAt: admission.expiresAt, session: admission.session)
        self.identity = admission.wishes.tokenIsOfRequest ? identity : nil
        isPage = admission.wishes.isPage
        touches = admission.wishes.touches
    }
}
