/// A bug that is planted where the relay meets the simulation, to show that the simulation sees such bugs.
package enum SimulationFault: String, CaseIterable, Sendable {
    /// An entry of the log is left out.
    case dropsEntry
    /// An entry of the log is sent twice.
    case duplicatesEntry
    /// Two entries of the log change places.
    case swapsEntries
    /// Positions are sent before the log.
    case sendsTouchesFirst
    /// Positions are not sent.
    case skipsTouches
    /// A position is sent again later.
    case repeatsOldTouch
    /// A binary tick, which counts from the one before, is sent twice.
    case repeatsTick
    /// A member is not told that a touch has left its view.
    case hidesLeaving
    /// A member with a new view is not told that what follows is all of it.
    case skipsView
    /// A member is sent its own position.
    case echoesTouch
    /// A blocked member counts as having been sent entries that it was not sent.
    case skipsBlockedMember
    /// A member that is blocked is written to.
    case writesWhileBlocked
    /// What a connection did not take at once is cut.
    case losesTail
    /// The member of a connection that has gone stays.
    case keepsMember
    /// A client that comes back gets one entry too few.
    case resumesTooLate
    /// A client that comes back gets one entry too many.
    case resumesTooEarly
    /// A client that comes back continues after everything that was written to it, seen or not.
    case claimsUnseen
    /// A lost user is removed at once, without grace.
    case hasNoGrace
    /// A lost user is never removed.
    case neverEndsGrace
    /// A client is admitted before the members get the earlier changes.
    case answersBeforeDelta
    /// The state of a lost client is given to one claim and can be given to another.
    case answersClaimTwice
    /// A parcel of touches arrives behind a newer one, as if it had been put back in the wrong place.
    case reordersParcels
    /// A parcel of touches is lost on the way.
    case dropsParcel
    /// A client that is entering a room is forgotten, as by a home that gives up meanwhile.
    case losesEntering
    /// A shard is not told that a room was closed.
    case losesLastDelta
    /// A home lets clients in with permissions of before.
    case ignoresPermissions
    /// Members get an edit that was transformed wrongly: it inserts one place too early.
    case misplacesEdit
    /// The store confirms an append that it has not stored.
    case losesAppend

    // In a cluster only.

    /// The home's node is not told that a member of another node sees another part of the room.
    case losesView
    /// The store takes what a home appends that is not the home any more.
    case ignoresFence
    /// A pipe between nodes delivers a record twice.
    case doublesRecord
    /// A pipe between nodes does not deliver a record, and says nothing.
    case losesRecord
    /// A node is not told that it was taken for dead.
    case ignoresLapse
    /// A node that hears of the end of another one goes on as if it lived.
    case ignoresLoss

    package static let ofClusters: [SimulationFault] = [
        .losesView, .ignoresFence, .doublesRecord, .losesRecord, .ignoresLapse, .ignoresLoss,
    ]
    package static let ofServers = allCases.filter { !ofClusters.contains($0) }
}
