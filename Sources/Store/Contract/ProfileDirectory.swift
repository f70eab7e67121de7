/// The profiles of people in applications, with what is connected to them. A person may have several profiles, one of which is
/// the preferred one. A store that notifies tells the person's other devices of each change: `session` is that of the device
/// that has made it.
package protocol ProfileDirectory: Sendable {
    /// In the order in which they were made.
    func profiles(of person: String, then answer: @escaping Answer<[AppProfile]>)
    func profile(_ id: ProfileID, then answer: @escaping Answer<AppProfile?>)
    /// Throws `notFound("user")`, `taken("username")`, or `conflict` past `StoreLimits.profilesMax` of a person. The first
    /// profile is the preferred one.
    func addProfile(_ profile: AppProfile, by session: String?, then answer: @escaping Answer<AppProfile>)
    /// Throws `notFound("profile")`, or `taken("username")`.
    func changeProfile(
        _ id: String, of person: String, _ change: ProfileChange, by session: String?, at now: Int64,
        then answer: @escaping Answer<AppProfile>)
    /// Answers whether the person had it. When it was the preferred one, the person's oldest takes its place.
    func removeProfile(_ id: String, of person: String, by session: String?, then answer: @escaping Answer<Bool>)

    /// In the order in which they were connected. These four throw `notFound("profile")` unless the profile is the person's.
    func connectedApps(of profile: ProfileID, then answer: @escaping Answer<[ConnectedApp]>)
    /// Throws `conflict` past `StoreLimits.connectionsOfProfileMax`.
    func connect(_ app: ConnectedApp, to profile: ProfileID, then answer: @escaping Answer<Void>)
    /// Throws `taken("accountId")` when the profile has the account already; `conflict` past
    /// `StoreLimits.connectionsOfProfileMax`.
    func link(
        _ account: SocialAccount, to profile: ProfileID, by session: String?, then answer: @escaping Answer<Void>)
    /// Removes an application or a social account. Answers whether the profile had it.
    func disconnect(
        _ kind: ProfileConnection, _ id: String, from profile: ProfileID, by session: String?,
        then answer: @escaping Answer<Bool>)

    /// What a person has set, a JSON object; empty bytes when there is nothing.
    func settings(of person: String, then answer: @escaping Answer<[UInt8]>)
    /// Replaces the members that a change has, and removes those that are null in it. Throws `notFound("user")`, or
    /// `conflict` for too many members or bytes.
    func changeSettings(_ change: [UInt8], of person: String, then answer: @escaping Answer<Void>)
}

/// A profile, by its person and its own id.
package struct ProfileID: Sendable, Equatable {
    package let person: String
    package let id: String

    package init(of person: String, _ id: String) {
        self.person = person
        self.id = id
    }
}

package enum ProfileConnection: Sendable {
    case app
    case socialAccount
}

package struct AppProfile: Sendable, Equatable {
    package let id: String
    package let person: String
    package var username: String
    package var displayName: String
    package var bio: String?
    package var avatar: String?
    package var isPreferred: Bool
    /// A JSON object.
    package var settings: [UInt8]
    package let createdAt: Int64
    package var updatedAt: Int64
    package var socialAccounts: [SocialAccount]

    package init(
        id: String, person: String, username: String, displayName: String, bio: String? = nil, avatar: String? = nil,
        isPreferred: Bool = false, settings: [UInt8] = Array("{}".utf8), createdAt: Int64, updatedAt: Int64,
        socialAccounts: [SocialAccount] = []
    ) {
        self.id = id
        self.person = person
        self.username = username
        self.displayName = displayName
        self.bio = bio
        self.avatar = avatar
        self.isPreferred = isPreferred
        self.settings = settings
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.socialAccounts = socialAccounts
    }
}

/// What is nil stays; an empty text removes what may be missing.
package struct ProfileChange: Sendable {
    package var username: String?
    package var displayName: String?
    package var bio: String?
    package var avatar: String?
    /// True makes it the preferred one.
    package var isPreferred = false
    /// Replaces the members that it has, and removes those that are null in it.
    package var settings: [UInt8]?

    package init() {}
}

package struct SocialAccount: Sendable, Equatable {
    package let id: String
    package let platform: String
    /// The platform's id of it.
    package let account: String
    package let username: String
    package let connectedAt: Int64

    package init(id: String, platform: String, account: String, username: String, connectedAt: Int64) {
        self.id = id
        self.platform = platform
        self.account = account
        self.username = username
        self.connectedAt = connectedAt
    }
}

package struct ConnectedApp: Sendable, Equatable {
    package let id: String
    package let name: String
    package let icon: String?
    /// A JSON array of texts.
    package let permissions: [UInt8]
    package let connectedAt: Int64

    package init(id: String, name: String, icon: String?, permissions: [UInt8], connectedAt: Int64) {
        self.id = id
        self.name = name
        self.icon = icon
        self.permissions = permissions
        self.connectedAt = connectedAt
    }
}
