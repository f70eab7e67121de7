/// A bug that is planted in the delivery, to show that the simulation sees such bugs.
package enum SimulationFault: String, CaseIterable, Sendable {
    /// An entry of the log is left out.
    case dropsEntry
    /// An entry of the log is sent twice.
    case duplicatesEntry
    /// Two entries of the log change places.
    case swapsEntries
    /// Positions are sent before the log.
    case sendsTouchesFirst
    /// Positions are not sent, and the cursor advances all the same.
    case skipsTouches
    /// A position is sent again later.
    case repeatsOldTouch
    /// A member is sent its own position.
    case echoesTouch
    /// The cursor of a member that is blocked advances.
    case skipsBlockedMember
    /// A member that is blocked is written to.
    case writesWhileBlocked
    /// What a connection did not take at once is cut.
    case losesTail
    /// The member of a connection that has gone stays.
    case keepsMember
    /// Who comes back gets one entry too few.
    case resumesTooLate
    /// Who comes back gets one entry too many.
    case resumesTooEarly
    /// Who comes back to several rooms goes on in the others after what was written to it, seen or not.
    case trailsOtherRooms
    /// A lost person is given up at once.
    case hasNoGrace
    /// A lost person is never given up.
    case neverEndsGrace
    /// A joiner is answered before those are told who are there already.
    case answersBeforeDelta
}
