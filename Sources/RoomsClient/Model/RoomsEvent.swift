/// An event for the application.
public enum RoomsEvent: Equatable, Sendable {
    /// Connected. `isRecovered`: the rooms continue, and the missed events follow. Otherwise the client joins each room
    /// again by itself, and reports `joined` for it.
    case connected(isRecovered: Bool)
    /// The connection was lost. The client tries again by itself after that time.
    case disconnected(reason: String, retryInMilliseconds: Int)
    /// The end: the client does not come back.
    case closed(ClientError)
    /// The whole state of a room, as the answer to a join, or anew after a connection that could not be recovered.
    case joined(RoomState)
    case participantJoined(room: String, Participant)
    case participantLeft(room: String, userID: String)
    case touchMoved(room: String, userID: String, Touch)
    case touchEnded(room: String, userID: String)
    /// The touch is not within this client's view any more. The position is the newest that is known; no others follow.
    case touchLeft(room: String, userID: String, Touch)
    case elementCreated(Element)
    case elementUpdated(Element)
    case elementDeleted(room: String, elementID: String, version: Int)
    /// Someone has changed an element's text. Only clients with `textsInEdits` get it; the state has the new text.
    case textEdited(TextChange)
    /// A user writes there; nil when the user does not write any more.
    case caretMoved(room: String, userID: String, Caret?)
    case roomRenamed(room: String, name: String)
    /// The server records the room from here on. The state has the recording while it runs.
    case recordingStarted(room: String, RoomRecording)
    case recordingStopped(room: String, recordingID: String, reason: String)
    /// This client is not in the room any more.
    case roomClosed(room: String, reason: String)
    /// The server stops, and closes this connection in that time. The client comes back by itself.
    case draining(reconnectInMilliseconds: Int)
    /// The token ends in that time. A client with a source of tokens sends a new one by itself.
    case tokenExpiring(inSeconds: Int)
    /// The server refused an event that wanted no answer.
    case refused(event: String, Refusal)
    /// More came than was read: so many events were left out. The states are those of all rooms, as of here.
    case lagged(missed: Int, [RoomState])
    /// An event that this client does not know, with its arguments as JSON without the brackets.
    case other(name: String, arguments: [UInt8])
}
