import Transport

/// Every bound of the REST interface, its unit last in its name.
package struct APILimits: Sendable {
    /// The JSON body of a request. Past it: 413, before any of it is read.
    package var bodyBytesMax = 64 << 10
    /// Requests of one shard that wait for their answer. Past it: 503.
    package var pendingRequestsMax = 4_096
    /// Requests of one user, over all devices; a minute's worth at once. 0: no limit. Past it: 429.
    package var accountRequestsPerSecondMax = 20
    /// What phones may send, in percent of that.
    package var phonePercent = 150
    /// Requests from one address, as `ServerState.countedAddress` gives it. 0: no limit. Past it: 429.
    package var addressRequestsPerSecondMax = 200
    /// Searches for users, with which a client could collect names.
    package var searchesPerSecondMax = 5
    /// Requests to sign up, to sign in or to refresh, of one address.
    package var signInsPerSecondMax = 2
    /// Requests of one user to enter a room by an invitation.
    package var acceptsPerSecondMax = 1
    /// Requests of one user to begin or to end a recording.
    package var recordingsPerSecondMax = 1
    /// Uploads of one user.
    package var uploadsPerSecondMax = 1
    /// Accounts and addresses whose requests are counted at a time. Past it: inactive ones are forgotten early.
    package var countedMax = 100_000

    /// Items of a page unless the request says how many.
    package var pageItems = 50
    package var pageItemsMax = 100
    package var searchItemsMax = 50
    package var elementItems = 200
    package var elementItemsMax = 500

    /// Users who can be added to a room when it is made.
    package var invitedMax = 50
    /// Members of a room, without former members.
    package var membersMax = 1_000
    /// The same with former members, who are listed too. Past it: 409.
    package var knownMembersMax = 4_000
    package var mutedRoomsMax = 500
    package var idBytesMax = 128
    package var urlBytesMax = 2_048

    package init() {}

    package static var unlimitedRates: APILimits {
        var limits = APILimits()
        limits.accountRequestsPerSecondMax = 0
        limits.addressRequestsPerSecondMax = 0
        limits.searchesPerSecondMax = 0
        limits.uploadsPerSecondMax = 0
        limits.acceptsPerSecondMax = 0
        limits.recordingsPerSecondMax = 0
        limits.signInsPerSecondMax = 0
        return limits
    }

    /// A minute's worth may come at once: an application asks for much when it starts, and for little later.
    static func rate(perSecond: Int) -> RequestRate { RequestRate(perSecond: perSecond, atOnce: perSecond * 60) }
}
