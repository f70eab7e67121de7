import Wire

/// The rooms of a session, kept as their events say.
struct RoomModel {
    private(set) var rooms: [String: RoomState] = [:]

    var states: [RoomState] { rooms.keys.sorted().compactMap { rooms[$0] } }

    mutating func remove(_ roomID: String) { rooms[roomID] = nil }

    /// Applies an event, and reports its meaning.
    mutating func take(_ event: IncomingEvent, _ text: Span<UInt8>, _ tell: (RoomsEvent) -> Void) {
        let arguments = event.arguments
        switch event.kind {
        case .touchMoved, .touchBatch, .touchEnded, .touchLeft, .viewAll: takeTouch(event, text, tell)
        case .elementCreated, .elementUpdated, .elementDeleted: takeElement(event, text, tell)
        case .elementEdited, .elementCaret: takeWriting(event, text, tell)
        case .userJoined, .userLeft, .roomJoined, .roomRenamed, .roomClosed: takeRoom(event, text, tell)
        case .recordingStarted, .recordingStopped: takeRecording(event, text, tell)
        case .draining: tell(.draining(reconnectInMilliseconds: EventArguments.number(text, arguments)))
        case .tokenExpiring: tell(.tokenExpiring(inSeconds: EventArguments.number(text, arguments)))
        case .error:
            if let (refusal, name) = EventArguments.error(text, arguments) { tell(.refused(event: name, refusal)) }
        case .participantAdded, .participantRemoved, .other:
            let name = text.extracting(event.name).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            tell(.other(name: name, arguments: text.extracting(arguments).withUnsafeBufferPointer { Array($0) }))
        }
    }

    private mutating func takeTouch(_ event: IncomingEvent, _ text: Span<UInt8>, _ tell: (RoomsEvent) -> Void) {
        switch event.kind {
        case .touchMoved:
            guard let moved = MovedTouch(text, event.arguments) else { return }
            rooms[moved.roomID]?.set(moved.touch, of: moved.userID)
            tell(.touchMoved(room: moved.roomID, userID: moved.userID, moved.touch))
        case .touchBatch:
            if let batch = TouchBatch(text, event.arguments) { take(batch, tell) }
        case .touchLeft:
            guard let left = MovedTouch(text, event.arguments) else { return }
            rooms[left.roomID]?.endTouch(of: left.userID)
            tell(.touchLeft(room: left.roomID, userID: left.userID, left.touch))
        case .viewAll:
            if let roomID = EventArguments.roomID(text, event.arguments) { forgetTouches(in: roomID, but: [], tell) }
        default:
            guard let (roomID, userID) = EventArguments.user(text, event.arguments) else { return }
            rooms[roomID]?.endTouch(of: userID)
            tell(.touchEnded(room: roomID, userID: userID))
        }
    }

    /// Applies the positions of a tick.
    mutating func take(_ batch: TouchBatch, _ tell: (RoomsEvent) -> Void) {
        guard let room = rooms[batch.roomID] else { return }
        if batch.isWhole {
            forgetTouches(
                in: batch.roomID, but: Set(batch.touches.compactMap { room.participant(slot: $0.slot)?.id }), tell)
        }
        for (slot, touch) in batch.left where slot != room.own.slot {
            guard let user = room.participant(slot: slot)?.id else { continue }
            rooms[batch.roomID]?.endTouch(of: user)
            tell(.touchLeft(room: batch.roomID, userID: user, touch))
        }
        for (slot, touch) in batch.touches where slot != room.own.slot {
            guard let user = room.participant(slot: slot)?.id else { continue }
            rooms[batch.roomID]?.set(touch, of: user)
            tell(.touchMoved(room: batch.roomID, userID: user, touch))
        }
    }

    /// What follows is all that this client sees.
    private mutating func forgetTouches(in roomID: String, but seen: Set<String>, _ tell: (RoomsEvent) -> Void) {
        for (user, touch) in rooms[roomID]?.touches ?? [:] where !seen.contains(user) {
            rooms[roomID]?.endTouch(of: user)
            tell(.touchLeft(room: roomID, userID: user, touch))
        }
    }

    private mutating func takeElement(_ event: IncomingEvent, _ text: Span<UInt8>, _ tell: (RoomsEvent) -> Void) {
        if event.kind == .elementDeleted {
            guard let (roomID, elementID, version) = EventArguments.deleted(text, event.arguments) else { return }
            rooms[roomID]?.removeElement(elementID)
            tell(.elementDeleted(room: roomID, elementID: elementID, version: version))
        } else if let element = Element(text, event.arguments) {
            rooms[element.roomID]?.set(element)
            tell(event.kind == .elementCreated ? .elementCreated(element) : .elementUpdated(element))
        }
    }

    private mutating func takeWriting(_ event: IncomingEvent, _ text: Span<UInt8>, _ tell: (RoomsEvent) -> Void) {
        if let change = TextChange(text, event.arguments) {
            rooms[change.roomID]?.apply(change)
            tell(.textEdited(change))
        } else if let moved = MovedCaret(text, event.arguments) {
            tell(.caretMoved(room: moved.roomID, userID: moved.userID, moved.caret))
        }
    }

    private mutating func takeRecording(_ event: IncomingEvent, _ text: Span<UInt8>, _ tell: (RoomsEvent) -> Void) {
        if event.kind == .recordingStarted {
            guard let roomID = EventArguments.roomID(text, event.arguments),
                let recording = RoomRecording(text, event.arguments)
            else { return }
            rooms[roomID]?.recording = recording
            tell(.recordingStarted(room: roomID, recording))
        } else if let end = RecordingEnding(text, event.arguments) {
            if rooms[end.roomID]?.recording?.id == end.recordingID { rooms[end.roomID]?.recording = nil }
            tell(.recordingStopped(room: end.roomID, recordingID: end.recordingID, reason: end.reason))
        }
    }

    private mutating func takeRoom(_ event: IncomingEvent, _ text: Span<UInt8>, _ tell: (RoomsEvent) -> Void) {
        let arguments = event.arguments
        switch event.kind {
        case .roomJoined:
            guard let state = RoomState(text, arguments) else { return }
            rooms[state.id] = state
            tell(.joined(state))
        case .userJoined:
            guard let participant = Participant(text, arguments),
                let roomID = EventArguments.roomID(text, arguments)
            else { return }
            rooms[roomID]?.insert(participant)
            tell(.participantJoined(room: roomID, participant))
        case .userLeft:
            guard let (roomID, userID) = EventArguments.user(text, arguments) else { return }
            rooms[roomID]?.removeParticipant(userID)
            tell(.participantLeft(room: roomID, userID: userID))
        case .roomRenamed:
            guard let (roomID, name) = EventArguments.room(text, arguments) else { return }
            rooms[roomID]?.name = name
            tell(.roomRenamed(room: roomID, name: name))
        default:
            guard let (roomID, reason) = EventArguments.room(text, arguments) else { return }
            rooms[roomID] = nil
            tell(.roomClosed(room: roomID, reason: reason))
        }
    }
}
