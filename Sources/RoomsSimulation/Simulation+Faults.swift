import Relay
import Rooms
import Sessions
import Wire

/// Planted bugs, where the relay meets the simulation: its mailboxes and the connections of its clients.
extension Simulation {
    // MARK: Mailboxes

    /// What arrives in a mailbox in place of a message.
    func spoilt(_ message: RelayMessage, to mailbox: SimulatedMailbox.Place) -> [RelayMessage] {
        switch (fault, message) {
        case (.losesLastDelta, .edge(.delta(_, let delta))) where delta.isLast: return []
        case (.dropsParcel, .touches) where random.percent(40): return []
        case (.losesEntering, .home(_, .enter)) where random.percent(40): return []
        case (.losesView, .home(_, .view)) where random.percent(40): return []
        case (.ignoresPermissions, .home(_, .permissionsChanged)): return []
        case (.answersBeforeDelta, .edge(.delta)) where random.percent(40),
            (.reordersParcels, .touches) where heldBack[mailbox] == nil:
            heldBack[mailbox, default: []].append(message)
            return []
        case (.answersBeforeDelta, .client(_, .entered)), (.reordersParcels, .touches):
            return [message] + (heldBack.removeValue(forKey: mailbox) ?? [])
        case (.answersClaimTwice, .edge(.claimAnswered(_, let lost?))):
            let node = nodes[mailbox.node]
            node.server.mailboxes[lost.pid.shard % node.shardCount].put(.returns(.givenBack(lost)))
            return [message]
        default: return [message]
        }
    }

    // MARK: Connections

    /// What goes out to a client instead of these frames.
    func spoilt(_ bytes: [UInt8], _ connection: SimulatedConnection) -> [UInt8] {
        var log: [[UInt8]] = []
        var touches: [[UInt8]] = []
        var ending: [UInt8] = []
        var tick: [UInt8] = []
        var start = 0
        for (content, isBinary) in FrameMessages(bytes) {
            let frame = Array(bytes[start..<content.upperBound])
            start = content.upperBound
            guard !isBinary else {
                touches.append(tick + frame)
                continue
            }
            var event = Array(bytes[content])
            if SimulatedEvent.begins(event, "51-") {
                tick = frame
                continue
            }
            if fault == .hidesLeaving, SimulatedEvent.begins(event, "2[\"touch:left\"") { continue }
            if fault == .skipsView, SimulatedEvent.begins(event, "2[\"view:all\"") { continue }
            if let offset = SimulatedEvent.takeOffset(&event) { connection.writtenOffset = offset }
            if SimulatedEvent.begins(event, "2[\"touch:ended\"") {
                // The last position is part of the entry.
                if !touches.isEmpty { ending = touches.removeLast() }
                log.append(ending + frame)
            } else if SimulatedEvent.begins(event, "2[\"touch:") {
                touches.append(frame)
            } else {
                log.append(frame)
            }
        }
        let isReordered = spoil(&log, &touches, connection)
        return isReordered ? (touches + log).flatMap { $0 } : (log + touches).flatMap { $0 }
    }

    /// - Returns: whether positions come first.
    private func spoil(_ log: inout [[UInt8]], _ touches: inout [[UInt8]], _ connection: SimulatedConnection) -> Bool {
        if strikes(.dropsEntry), !log.isEmpty { log.remove(at: random.below(log.count)) }
        if strikes(.duplicatesEntry), let last = log.last { log.append(last) }
        if strikes(.swapsEntries), log.count > 1 { log.swapAt(0, log.count - 1) }
        if fault == .misplacesEdit { log = log.map { SimulatedEvent.misplaced($0) ?? $0 } }
        if strikes(.skipsTouches) { touches = [] }
        if strikes(.repeatsTick), let last = touches.last, connection.client.touches.contains(.ticks) {
            touches.append(last)
        }
        if strikes(.echoesTouch), !touches.isEmpty { touches.append(ownTouch(connection)) }
        if fault == .repeatsOldTouch {
            if !connection.oldTouch.isEmpty, random.percent(40) { touches.append(connection.oldTouch) }
            connection.oldTouch = touches.first ?? connection.oldTouch
        }
        return strikes(.sendsTouchesFirst)
    }

    private func ownTouch(_ connection: SimulatedConnection) -> [UInt8] {
        var frame: [UInt8] = []
        let client = connection.client
        let text = Array(
            "42[\"touch:moved\",{\"roomId\":\"r0\",\"userId\":\"p\(client.person)\",\"x\":\(lastNumber),\"y\":\(client.number)}]"
                .utf8)
        WebSocketFrame.append(text: text.span, into: &frame)
        return frame
    }
}
