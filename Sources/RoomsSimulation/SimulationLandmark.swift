/// What has to come up in the simulation for its checks to mean something.
package enum SimulationLandmark: String, CaseIterable, Sendable {
    case blocked, portion, catchUp, batch, lost, exception
    case joinedAgain, takenOver, roomFull, graceEnded, graceUsed, roomEmptied
    case resumed, resumedWithNothingMissed, resumedAfterGrace, resumedOnNewReplica, resumeRefused
    case closed, closedWhileBehind, renamed, expelled
    case resumedByTrail, trailUnknown, offsets, offsetsAndBatch
    case touchEnded, touchEndedWithDevice, conflict, resentCreation, createdAgainAfterDeletion, notFound, roomLimit
}
