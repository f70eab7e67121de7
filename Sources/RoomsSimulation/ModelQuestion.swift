import Wire

extension ModelClient {
    /// What the client waits to be answered.
    enum Question {
        case join(room: Int)
        case leave(room: Int)
        /// With the members of the room when it was sent, and the turns of their views.
        case move(room: Int, number: Int, watchers: [Int: Int])
        case end(room: Int)
        case look(room: Int)
        case create(room: Int, clientID: String?)
        /// With the element as the client knows it under that version.
        case update(room: Int, version: Int?, known: [UInt8]?)
        case delete(room: Int, id: String)
        /// A word that was written into a whole content.
        case merge(room: Int, word: String)
        case edit(room: Int, id: String, TextWriter.Sent)
        case caret(room: Int)

        var room: Int {
            switch self {
            case .join(let room), .leave(let room), .move(let room, _, _), .end(let room), .look(let room),
                .create(let room, _),
                .update(let room, _, _), .delete(let room, _), .merge(let room, _), .edit(let room, _, _),
                .caret(let room):
                room
            }
        }

        var isJoin: Bool { if case .join = self { true } else { false } }
    }
}
