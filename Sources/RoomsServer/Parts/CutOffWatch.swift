import Logging
import Relay
import Sessions
import Transport

/// Sends the clients of a node to others while it is cut off from its cluster, and takes clients again after that.
struct CutOffWatch: Sendable {
    private static let pause = Duration.milliseconds(250)

    let member: ClusterMember
    let mailboxes: [ShardMailbox]
    /// Within this time the clients are sent away.
    let windowMilliseconds: Int
    let logger: Logger

    func run() async {
        var isCutOff = false
        while !Task.isCancelled {
            if member.isCutOff != isCutOff {
                isCutOff.toggle()
                tell(isCutOff)
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func tell(_ isCutOff: Bool) {
        if isCutOff {
            logger.error("neither PostgreSQL nor Redis can be reached: clients are sent to other nodes")
        } else {
            logger.info("this node takes clients again")
        }
        let order = CutOffOrder(isCutOff: isCutOff, windowMilliseconds: windowMilliseconds)
        for mailbox in mailboxes { mailbox.insist(order) }
    }
}

/// Tells a shard whether its clients are to go to other nodes.
private struct CutOffOrder: ShardItem {
    let isCutOff: Bool
    let windowMilliseconds: Int

    func arrive(on shard: Shard) {
        let (sessions, others) = (shard.local(SessionService.self), shard.local(Relay.self)?.edge.otherConnections)
        if isCutOff {
            sessions?.sendAway(over: windowMilliseconds)
            others?.drain(over: windowMilliseconds)
        } else if sessions?.takeBack() == true {
            others?.takeBack()
        }
    }
}
