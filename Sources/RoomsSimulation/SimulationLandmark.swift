/// What has to come up in the simulation for its checks to mean something.
package enum SimulationLandmark: String, CaseIterable, Sendable {
    case blocked, polled, brokeWhileWriting, slowReader, mailboxFull
    case ticked, tickedAbsolute, toldView, leftView
    case joined, toldAgain, recovered, putOut, graceEnded
    case closed, expelled, createdFromOutside
    case conflict, notFound, roomFull, overwhelmed, resentCreation
    case restarted, appendFailed, lostUnstored
    case merged, resentEdit, editConflict

    // In a cluster only.
    case frozen, lapsed, takenOver, fencedOff, ambiguous, frameLost, pipeLost, handedOver, late

    package static let ofServers = allCases.filter { !ofClusters.contains($0) }
    package static let ofClusters: [SimulationLandmark] = [
        .frozen, .lapsed, .takenOver, .fencedOff, .ambiguous, .frameLost, .pipeLost, .handedOver, .late,
    ]
}
