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
    /// A member is sent its own position.
    case echoesTouch
    /// A member that is blocked is taken to have been sent what it was not.
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
    /// A client that comes back goes on after what was written to it, seen or not.
    case claimsUnseen
    /// A lost person is given up at once.
    case hasNoGrace
    /// A lost person is never given up.
    case neverEndsGrace
    /// A client is let in before the members are told what was before.
    case answersBeforeDelta
    /// What a lost client goes on with is given to one claim and can be given to another.
    case answersClaimTwice
    /// A parcel of touches arrives behind a newer one, as if it had been put back in the wrong place.
    case reordersParcels
    /// A parcel of touches is lost on the way.
    case dropsParcel
    /// A client on its way into a room is forgotten, as by a home that is given up meanwhile.
    case losesEntering
    /// A shard is not told that a room was closed.
    case losesLastDelta
    /// A home lets clients in with permissions of before.
    case ignoresPermissions
    /// The store says that it has stored what it has not.
    case losesAppend
}
