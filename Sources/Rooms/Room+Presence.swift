import Wire

/// The participants of a room.
extension Room {
    package struct Joined: Sendable {
        package let slot: Int
        /// A connection of the same user that had to leave for the new one.
        package let takenOver: ConnectionID?
    }

    /// Makes a connection a member. Joining twice is the same as joining once. A user with two connections is one
    /// participant.
    package mutating func join(
        _ connection: ConnectionID, _ person: Person, at now: Moment
    ) throws(RoomError) -> Joined {
        flight?.note(.join(connection, person, now))
        guard !isClosed else { throw RoomError(.notFound, "The room is closed.") }
        if let slot = slotOfConnection[connection] { return Joined(slot: slot, takenOver: nil) }
        if let slot = slotOfPerson[ExactText(person.id)] { return addDevice(connection, slot) }
        guard slotOfPerson.count < limits.participantsMax else {
            throw RoomError(.roomFull, "The room has \(limits.participantsMax) participants already.")
        }
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        let participant = Participant(person, slot: slot, joinedAt: now.unixSeconds, connection: connection)
        slots[slot] = participant
        participantBytes += participant.listedByteCount(roomJSON: idJSON)
        slotOfPerson[ExactText(person.id)] = slot
        slotOfConnection[connection] = slot
        touches.clear(slot)
        log("user:joined", opens: slot, effect: .came(participant.presence)) { [idJSON] in
            participant.append(isListed: false, roomJSON: idJSON, to: &$0)
        }
        return Joined(slot: slot, takenOver: nil)
    }

    /// Gives the participants of an earlier home their places back, and lets them wait in the grace for their clients.
    /// Those who cannot get their places leave.
    mutating func seat(_ present: [Presence], at now: Moment) {
        for presence in present {
            guard let slot = presence.slot, slot >= 0, slot < limits.participantsMax, !presence.profile.isEmpty,
                slotOfPerson[ExactText(presence.id)] == nil, slot >= slots.count || slots[slot] == nil
            else {
                logLeft(presence.id)
                continue
            }
            while slots.count <= slot {
                freeSlots.append(slots.count)
                slots.append(nil)
            }
            freeSlots.removeAll { $0 == slot }
            var participant = Participant(
                Person(id: presence.id, profile: presence.profile), slot: slot, joinedAt: presence.joinedAt)
            participant.graceEnds = now.monotonic + limits.graceMilliseconds
            participant.mayHaveLostTouch = true
            slots[slot] = participant
            slotsInGrace.append(slot)
            slotOfPerson[ExactText(presence.id)] = slot
            participantBytes += participant.listedByteCount(roomJSON: idJSON)
        }
    }

    private mutating func addDevice(_ connection: ConnectionID, _ slot: Int) -> Joined {
        var takenOver: ConnectionID?
        if let connections = slots[slot]?.connections, connections.count >= limits.connectionsPerParticipantMax {
            takenOver = connections.first
        }
        if let takenOver { remove(takenOver, slot) }
        // Another connection than the one whose touch was kept.
        if slots[slot]?.graceEnds != nil, !touches.isMover(connection, of: slot) { endKeptTouch(slot) }
        slots[slot]?.connections.append(connection)
        slots[slot]?.graceEnds = nil
        slotsInGrace.removeAll { $0 == slot }
        slotOfConnection[connection] = slot
        return Joined(slot: slot, takenOver: takenOver)
    }

    /// The ids of participants with a connection, without those in the grace.
    package var connectedPeople: [String] {
        slotOfPerson.values.compactMap { slots[$0].flatMap { $0.connections.isEmpty ? nil : $0.person.id } }
    }

    /// A connection leaves. When it was the participant's last one, the participant leaves.
    package mutating func leave(_ connection: ConnectionID) throws(RoomError) {
        flight?.note(.leave(connection))
        let slot = try slot(of: connection)
        remove(connection, slot)
        if slots[slot]?.connections.isEmpty == true { removePerson(slot) }
    }

    /// A connection was lost. Its participant stays for the grace, in which a new connection resumes silently.
    ///
    /// - Parameter mayReturn: whether this very connection may come back, because only the way to it was lost. Then its
    ///   touch ends with the grace, and not before.
    package mutating func lose(_ connection: ConnectionID, at now: Moment, mayReturn: Bool = false) {
        flight?.note(.lose(connection, now, mayReturn: mayReturn))
        guard let slot = slotOfConnection[connection] else { return }
        remove(connection, slot, keepsTouch: mayReturn && slots[slot]?.connections == [connection])
        guard slots[slot]?.connections.isEmpty == true else { return }
        slots[slot]?.graceEnds = now.monotonic + limits.graceMilliseconds
        slotsInGrace.append(slot)
    }

    /// A touch ends with the connection that made it, even if the participant stays with another connection.
    mutating func remove(_ connection: ConnectionID, _ slot: Int, keepsTouch: Bool = false) {
        if !keepsTouch {
            endTouch(of: connection, slot: slot)
            if touches.isMover(connection, of: slot) { touches.forgetMover(of: slot) }
        }
        if carets.isWriter(connection, of: slot) { endCaret(slot) }
        slotOfConnection[connection] = nil
        slots[slot]?.connections.removeAll { $0 == connection }
    }

    /// Ends a touch whose connection does not come back.
    private mutating func endKeptTouch(_ slot: Int) {
        endTouch(slot: slot)
        touches.forgetMover(of: slot)
    }

    mutating func removePerson(_ slot: Int) {
        guard let participant = slots[slot] else { return }
        // The touch of a connection that might have come back.
        if participant.graceEnds != nil { endKeptTouch(slot) }
        logLeft(participant.person.id)
        participantBytes -= participant.listedByteCount(roomJSON: idJSON)
        slotOfPerson[ExactText(participant.person.id)] = nil
        slots[slot] = nil
        freeSlots.append(slot)
    }

    mutating func logLeft(_ person: String) {
        let idJSON = idJSON
        log("user:left", effect: .left(person)) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","userId":"#.utf8)
            bytes.appendJSONString(person.utf8.span)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// The end of the next grace; nil when no participant is in the grace.
    package var nextGraceEnds: Int64? {
        slotsInGrace.compactMap { slots[$0]?.graceEnds }.min()
    }

    /// Removes the participants whose grace is over.
    package mutating func expireGraces(at now: Moment) {
        flight?.note(.expireGraces(now))
        let isOver = { [slots] slot in slots[slot]?.graceEnds.map { $0 <= now.monotonic } ?? true }
        let expired = slotsInGrace.filter(isOver)
        slotsInGrace.removeAll(where: isOver)
        for slot in expired { removePerson(slot) }
    }

    /// The state for a joining client, in the event `room:joined` and in the ack.
    package mutating func state() -> RoomState {
        var head: [UInt8] = []
        head.append(contentsOf: #""roomId":"#.utf8)
        head.append(contentsOf: idJSON)
        head.append(contentsOf: #","room":"#.utf8)
        head.append(contentsOf: info)
        head.append(contentsOf: #","self":"#.utf8)
        var tail: [UInt8] = []
        tail.reserveCapacity(stateByteCount)
        tail.append(contentsOf: #","participants":["#.utf8)
        var isFirst = true
        for slot in slots.indices where slots[slot] != nil {
            if !isFirst { tail.append(UInt8(ascii: ",")) }
            isFirst = false
            slots[slot]?.append(isListed: true, roomJSON: idJSON, to: &tail)
        }
        tail.append(contentsOf: #"],"elements":["#.utf8)
        elements.append(roomJSON: idJSON, to: &tail)
        tail.append(contentsOf: #"],"seq":"#.utf8)
        DecimalInteger.append(Int(seq), to: &tail)
        if let recording {
            tail.append(contentsOf: #","recording":{"#.utf8)
            recording.append(to: &tail)
            tail.append(UInt8(ascii: "}"))
        }
        return RoomState(head: head, tail: tail)
    }

    /// A participant in the form of the list for joining clients.
    package func listed(_ slot: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        slots[slot]?.append(isListed: true, roomJSON: idJSON, to: &bytes)
        return bytes
    }

    /// The length of `state()`, exact to some hundred bytes, without writing it.
    package var stateByteCount: Int {
        info.count + participantBytes + elements.byteCount + elements.count * (idJSON.count + 1)
            + RoomState.restByteCount
    }

    /// Checks the invariants that hold between any two calls.
    package func checkInvariants() {
        for (connection, slot) in slotOfConnection {
            precondition(slots[slot]?.connections.contains(connection) == true, "a connection without its participant")
        }
        var people = 0
        for (slot, participant) in slots.enumerated() {
            guard let participant else { continue }
            people += 1
            precondition(
                participant.slot == slot && slotOfPerson[ExactText(participant.person.id)] == slot, "a slot is mixed up"
            )
            precondition(participant.connections.isEmpty == (participant.graceEnds != nil), "a ghost")
            precondition(slotsInGrace.contains(slot) == (participant.graceEnds != nil), "a grace that never ends")
            precondition(
                !touches.isActive(slot) || participant.graceEnds != nil
                    || participant.connections.contains { touches.isMover($0, of: slot) },
                "a touch without a hand")
            let hidden = touches.hiddenMovers(of: slot)
            precondition(hidden.isEmpty || touches.isActive(slot), "a hidden touch that nothing hides")
            precondition(
                Set(hidden).count == hidden.count
                    && hidden.allSatisfy { participant.connections.contains($0) && !touches.isMover($0, of: slot) },
                "a hidden touch without a hand")
            for connection in participant.connections { precondition(slotOfConnection[connection] == slot) }
        }
        precondition(people == slotOfPerson.count, "a person without a slot")
        precondition(
            participantBytes == slots.reduce(0) { $0 + ($1?.listedByteCount(roomJSON: idJSON) ?? 0) },
            "participants' bytes are wrong")
        precondition(Set(slotsInGrace).count == slotsInGrace.count && slotsInGrace.allSatisfy { slots[$0] != nil })
        precondition(Set(freeSlots).count == freeSlots.count && people + freeSlots.count == slots.count, "a lost slot")
        precondition(history.byteCount <= limits.logBytesMax && history.lastSeq + UInt64(entries.count) == seq)
        elements.checkInvariants()
    }
}
