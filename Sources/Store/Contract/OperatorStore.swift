/// What operators have decided and done.
package protocol OperatorStore: Sendable {
    /// Keeps a ban, in place of the one that its subject had. Throws `conflict` when there are
    /// `StoreLimits.bansMax` of others.
    func keepBan(_ ban: Ban, then answer: @escaping Answer<Void>)
    /// Answers whether there was such a ban.
    func liftBan(_ subject: BanSubject, then answer: @escaping Answer<Bool>)
    /// Those that have not ended, the one that ends first before the others.
    func bans(at now: Int64, then answer: @escaping Answer<[Ban]>)

    func addAudit(_ entry: AuditEntry, then answer: @escaping Answer<Void>)
    /// The newest first.
    func audit(_ page: PageRequest, then answer: @escaping Answer<Page<AuditEntry>>)
    /// The times of an action of one server since a time, in milliseconds since 1970, the earliest first; at most a page.
    func auditTimes(
        of action: String, server: Int, since: Int64, then answer: @escaping Answer<[Int64]>)

    /// Rooms whose id or name contains a text, without regard to case in ASCII; the one that changed last comes first.
    func findRooms(containing text: String, _ page: PageRequest, then answer: @escaping Answer<Page<RoomSummary>>)
}

/// Whom a ban is about.
package struct BanSubject: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case person, address
    }

    package let kind: Kind
    /// The id of a user; or an address, of IPv6 the network of 64 bits that it is in.
    package let id: String

    package init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }

    /// Byte for byte: strings of Swift are equal when Unicode holds them for the same letters.
    package static func == (one: BanSubject, other: BanSubject) -> Bool {
        one.kind == other.kind && one.id.utf8.elementsEqual(other.id.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        for byte in id.utf8 { hasher.combine(byte) }
    }
}

package struct Ban: Sendable, Equatable {
    package let subject: BanSubject
    /// For operators.
    package let reason: String
    /// Seconds since 1970.
    package let madeAt: Int64
    package let endsAt: Int64

    package init(_ subject: BanSubject, reason: String, madeAt: Int64, endsAt: Int64) {
        self.subject = subject
        self.reason = reason
        self.madeAt = madeAt
        self.endsAt = endsAt
    }
}

/// One line of the operators' log.
package struct AuditEntry: Sendable, Equatable {
    /// Milliseconds since 1970.
    package let at: Int64
    /// Made of letters, digits, `-` and `_`.
    package let id: String
    /// The number of the node; 0 on a server that is not part of a cluster.
    package let server: Int
    /// The address of the operator; empty for what a server did by itself.
    package let asker: String
    package let action: String
    package let subject: String
    package let outcome: String

    package init(
        at: Int64, id: String, server: Int, asker: String, action: String, subject: String, outcome: String
    ) {
        self.at = at
        self.id = id
        self.server = server
        self.asker = asker
        self.action = action
        self.subject = subject
        self.outcome = outcome
    }
}
