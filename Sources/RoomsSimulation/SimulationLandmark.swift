/// What has to come up in the simulation for its checks to mean something.
package enum SimulationLandmark: String, CaseIterable, Sendable {
    case blocked, polled, brokeWhileWriting, slowReader, mailboxFull
    case ticked, tickedAbsolute
    case joined, toldAgain, recovered, putOut, graceEnded
    case closed, expelled, createdFromOutside
    case conflict, notFound, roomFull, overwhelmed, resentCreation
    case restarted, appendFailed, lostUnstored
}
