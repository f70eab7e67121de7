import Rooms
import Wire

/// What a shard does for its connections.
extension Simulation {
    func deliver(_ message: SimulatedMessage, on shard: SimulatedShard) {
        switch message {
        case .delta(let room, let delta): apply(delta, room, shard)
        case .joined(let answer): take(answer, shard)
        case .refused(let request):
            guard let connection = shard.connections[request.connection],
                connection.joining[request.room] == request.number
            else { return }
            connection.joining[request.room] = nil
            promises[request.number] = Promise(seq: 0, state: RoomTruth.State(), participation: 0)
            send(mark("room:refused", request, []), to: connection)
        case .takenOver(let room, let id):
            guard let connection = shard.connections[id] else { return }
            reach(.takenOver)
            note("\(Self.name(id)) was taken over in r\(room)")
            close(connection)
        case .join, .leave, .lose, .act: break
        }
    }

    private func apply(_ delta: RoomDelta, _ room: Int, _ shard: SimulatedShard) {
        guard let lastTick = shard.replicas[room]?.lastTick, delta.tick > lastTick else { return }
        shard.replicas[room]?.apply(delta)
        for member in shard.replicas[room]?.members ?? [] {
            if let connection = shard.connections[member.connection] { deliver(room, to: connection, shard) }
        }
        if shard.replicas[room]?.isOver == true { retire(room, shard) }
    }

    private func take(_ answer: SimulatedAnswer, _ shard: SimulatedShard) {
        let request = answer.request
        let room = request.room
        // It may have gone, or asked for something else meanwhile.
        guard let connection = shard.connections[request.connection], connection.joining[room] == request.number else {
            return
        }
        connection.joining[room] = nil
        dropFarewells(connection, shard) { _, closed in closed == room }
        reach(.joinedAgain, if: connection.rooms.contains(room))
        reach(.resumeRefused, if: request.since != nil && answer.missed == nil)
        let isNewReplica = shard.replicas[room] == nil
        if !connection.rooms.contains(room) { connection.rooms.append(room) }
        if shard.replicas[room] == nil {
            shard.replicas[room] = RoomReplica(
                answer.snapshot, seq: answer.seq, logBytesMax: limits.logBytesMax,
                incarnation: Self.incarnation(room))
        }
        let (isBatch, hasOffsets) = (connection.client.isBatch, connection.client.hasOffsets)
        if let missed = answer.missed, let since = request.since {
            shard.replicas[room]?.extendBack(missed)
            reach(.resumed)
            reach(.resumedWithNothingMissed, if: missed.isEmpty)
            reach(.resumedOnNewReplica, if: isNewReplica && !missed.isEmpty)
            reach(.resumedAfterGrace, if: missed.contains { $0.opens == answer.slot })
            var from = since
            if fault == .resumesTooLate, from < answer.seq { from += 1 }
            if fault == .resumesTooEarly, from > 0 { from -= 1 }
            let isBack = shard.replicas[room]?.resume(
                request.connection, slot: answer.slot, seq: from, isBatch: isBatch, hasOffsets: hasOffsets)
            // A log that is full may have lost what the home's still has only if that was asked for by mistake.
            if isBack != true, from == since { fail("the entries that came with the answer do not reach back") }
            if isBack != true {
                shard.replicas[room]?.add(
                    request.connection, slot: answer.slot, isBatch: isBatch, hasOffsets: hasOffsets)
            }
            connection.memberships[room] = request.membership
            note("\(Self.name(connection.id)) goes on in r\(room) after \(since)")
            send(mark("room:resumed", request, Array("\"roomId\":\"r\(room)\"".utf8)), to: connection)
        } else {
            shard.replicas[room]?.add(
                request.connection, slot: answer.slot, isBatch: isBatch, hasOffsets: hasOffsets)
            note("\(Self.name(connection.id)) is told the state of r\(room) at \(answer.seq)")
            if let old = connection.memberships[room] { connection.trail.left(old) }
            let offset = LogOffset(
                seq: answer.seq, incarnation: Self.incarnation(room), membership: UInt64(request.number))
            connection.memberships[room] = offset.membership
            connection.trail.joined(UInt64(request.number), incarnation: offset.incarnation, at: offset.seq)
            send(mark("room:joined", request, answer.json, hasOffsets ? offset : nil), to: connection)
        }
        deliver(room, to: connection, shard)
    }

    /// An event to one client, with the request's number in it.
    private func mark(
        _ name: StaticString, _ request: JoinRequest, _ json: [UInt8], _ offset: LogOffset? = nil
    ) -> [UInt8] {
        var text = Array("42[\"\(name)\",{".utf8)
        text += json.isEmpty ? Array("\"roomId\":\"r\(request.room)\"".utf8) : json
        text += Array(",\"request\":\(request.number)}".utf8)
        if let offset { text += Array(",\"\(offset.text)\"".utf8) }
        text.append(UInt8(ascii: "]"))
        var frame: [UInt8] = []
        WebSocketFrame.append(text: text.span, into: &frame)
        return frame
    }

    /// An answer: it waits for its turn if the connection is blocked.
    private func send(_ frame: [UInt8], to connection: SimulatedConnection) {
        if connection.pipe.isBlocked || !connection.outbox.isEmpty {
            connection.outbox.append(frame)
        } else {
            connection.pipe.send(frame)
        }
    }

    // MARK: Members

    func deliver(_ room: Int, to connection: SimulatedConnection, _ shard: SimulatedShard) {
        guard connection.isOpen, let index = shard.replicas[room]?.index(of: connection.id) else { return }
        if connection.pipe.isBlocked || !connection.outbox.isEmpty {
            if strikes(.skipsBlockedMember) { shard.replicas[room]?.advance(index) }
            if !strikes(.writesWhileBlocked) { return }
        }
        switch shard.replicas[room]?.due(index) {
        case .none, .nothing: return
        case .lost:
            reach(.lost)
            note("\(Self.name(connection.id)) lags too far behind in r\(room)")
            close(connection)
        case .delta(let delta, let own):
            if shard.replicas[room]?.members.count ?? 0 > 1 { reach(.exception, if: delta.hasExceptions) }
            let without = strikes(.echoesTouch) ? 0..<0 : own
            shard.replicas[room]?.advance(index)
            write(Array(delta.frames[..<without.lowerBound]) + delta.frames[without.upperBound...], to: connection)
        case .batch(let delta):
            reach(.batch)
            shard.replicas[room]?.advance(index)
            write(Array(delta.logFrames) + (shard.replicas[room]?.batchFrame ?? []), to: connection)
        case .offsets(let own):
            reach(.offsets)
            let frames = shard.replicas[room]?.offsetFrames ?? []
            let without = strikes(.echoesTouch) ? 0..<0 : own
            advance(index, room, connection, shard)
            write(Array(frames[..<without.lowerBound]) + frames[without.upperBound...], to: connection)
        case .offsetsAndBatch:
            reach(.offsetsAndBatch)
            let log = shard.replicas[room].map { $0.offsetFrames[..<$0.offsetLogByteCount] } ?? []
            advance(index, room, connection, shard)
            write(Array(log) + (shard.replicas[room]?.batchFrame ?? []), to: connection)
        case .more: catchUp(index, room, connection, shard)
        }
    }

    private func advance(_ index: Int, _ room: Int, _ connection: SimulatedConnection, _ shard: SimulatedShard) {
        let before = shard.replicas[room]?.members[index].seq ?? 0
        shard.replicas[room]?.advance(index)
        trace(room, after: before, index, connection, shard)
    }

    /// Notes what is about to be written of a room's log.
    private func trace(
        _ room: Int, after seq: UInt64, _ index: Int, _ connection: SimulatedConnection, _ shard: SimulatedShard
    ) {
        guard let membership = connection.memberships[room], let member = shard.replicas[room]?.members[index] else {
            return
        }
        connection.trail.wrote(
            membership, incarnation: Self.incarnation(room), after: seq, upTo: member.seq)
    }

    private func catchUp(_ index: Int, _ room: Int, _ connection: SimulatedConnection, _ shard: SimulatedShard) {
        reach(.catchUp)
        guard feedsInPortions else {
            var bytes: [UInt8] = []
            shard.replicas[room]?.catchUp(index, into: &bytes)
            advance(index, room, connection, shard)
            return write(bytes, to: connection)
        }
        var hasAll = false
        while !hasAll, !connection.pipe.isBlocked {
            var bytes: [UInt8] = []
            let seq = shard.replicas[room]?.members[index].seq ?? 0
            hasAll = shard.replicas[room]?.feed(index, into: &bytes, bytesMax: portionBytesMax) ?? true
            trace(room, after: seq, index, connection, shard)
            reach(.portion, if: !hasAll)
            write(bytes, to: connection)
        }
    }

    /// The only way by which members are written to.
    private func write(_ bytes: [UInt8], to connection: SimulatedConnection) {
        if connection.pipe.isBlocked { fail("a write to a blocked connection") }
        guard !bytes.isEmpty else { return }
        connection.pipe.send(fault == nil ? bytes : spoilt(bytes, connection))
        if strikes(.losesTail) { connection.pipe.cutTail() }
        reach(.blocked, if: connection.pipe.isBlocked)
        if connection.pipe.isBlocked { note("\(Self.name(connection.id)) is blocked") }
    }

    func writable(_ connection: SimulatedConnection, _ shard: SimulatedShard) {
        while !connection.pipe.isBlocked, !connection.outbox.isEmpty {
            connection.pipe.send(connection.outbox.removeFirst())
        }
        for room in connection.rooms { deliver(room, to: connection, shard) }
        bidFarewell(connection, shard)
    }

    /// The connection ends, by whomever: its members go and the rooms' homes are told.
    func close(_ connection: SimulatedConnection) {
        guard connection.isOpen else { return }
        let shard = shards[connection.id.shard]
        connection.isOpen = false
        connection.client.connection = nil
        connection.client.memberships = connection.memberships
        connection.client.trail = connection.trail
        shard.connections[connection.id] = nil
        dropFarewells(connection, shard) { _, _ in true }
        for room in Set(connection.rooms).union(connection.joining.keys).sorted() {
            if !strikes(.keepsMember) { shard.remove(connection.id, from: room) }
            post(.lose(room: room, connection.id), from: shard.number, to: homeShard(room))
        }
    }
}

// MARK: - Planted bugs

extension Simulation {
    /// What goes out instead of these frames.
    private func spoilt(_ bytes: [UInt8], _ connection: SimulatedConnection) -> [UInt8] {
        var log: [[UInt8]] = []
        var touches: [[UInt8]] = []
        var ending: [UInt8] = []
        var start = 0
        for text in FrameTexts(bytes) {
            let frame = Array(bytes[start..<text.upperBound])
            start = text.upperBound
            let name = Array(bytes[text].prefix(15))
            if SimulatedEvent.begins(name, "2[\"touch:ended\"") {
                // The last position is part of the entry.
                if !touches.isEmpty { ending = touches.removeLast() }
                log.append(ending + frame)
            } else if SimulatedEvent.begins(name, "2[\"touch:") {
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
        if strikes(.skipsTouches) { touches = [] }
        if fault == .repeatsOldTouch {
            if !connection.oldTouch.isEmpty, random.percent(40) { touches.append(connection.oldTouch) }
            connection.oldTouch = touches.first ?? connection.oldTouch
        }
        return strikes(.sendsTouchesFirst)
    }
}
