import Wire

/// A change of an element's text by one of those who write in it.
public struct TextChange: Equatable, Sendable {
    public let roomID: String
    public let elementID: String
    /// The version that it makes. `changes` are of the text of the version before.
    public let version: Int
    public let changes: TextEdit
    public let userID: String
    /// The author's own id for the edit, if it has one.
    public let clientID: String?
    public let updatedAt: String?

    private static let keys = JSONKeys(
        "roomId", "elementId", "version", "changes", "userId", "clientId", "updatedAt")
    /// No server has longer texts.
    private static let unitsMax = 1 << 20

    /// From `element:edited`.
    package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range), fields[3].kind == .array,
            let roomID = fields[0].string(in: text), let elementID = fields[1].string(in: text),
            let version = fields[2].int(in: text), let userID = fields[4].string(in: text),
            let changes = TextEdit(json: text, fields[3].range, unitsMax: Self.unitsMax)
        else { return nil }
        (self.roomID, self.elementID, self.version) = (roomID, elementID, version)
        (self.changes, self.userID) = (changes, userID)
        clientID = fields[5].string(in: text)
        updatedAt = fields[6].string(in: text)
    }
}

/// Where a user writes.
public struct Caret: Equatable, Sendable {
    public var elementID: String
    /// In UTF-16 units of the text.
    public var position: Int
    /// The other end of what is selected.
    public var anchor: Int?
    /// The version whose text the places are of.
    public var version: Int?

    public init(elementID: String, position: Int, anchor: Int? = nil, version: Int? = nil) {
        self.elementID = elementID
        self.position = position
        self.anchor = anchor
        self.version = version
    }
}

/// A caret as an event tells of it.
struct MovedCaret {
    let roomID: String
    let userID: String
    /// Nil when the user does not write any more.
    let caret: Caret?

    private static let keys = JSONKeys("roomId", "userId", "elementId", "position", "anchor", "version")

    init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range),
            let roomID = fields[0].string(in: text), let userID = fields[1].string(in: text)
        else { return nil }
        (self.roomID, self.userID) = (roomID, userID)
        guard let elementID = fields[2].string(in: text) else {
            caret = nil
            return
        }
        caret = Caret(
            elementID: elementID, position: fields[3].int(in: text) ?? 0, anchor: fields[4].int(in: text),
            version: fields[5].int(in: text))
    }
}

/// The server's answer to an edit.
public struct Edited: Equatable, Sendable {
    /// The version that the edit made, or that of `element`.
    public let version: Int
    /// The whole element, if the server merged the edit with others or had it already.
    public let element: Element?
}
