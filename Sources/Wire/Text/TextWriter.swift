/// A client's side of a text that several write at once.
///
/// It has the text as the server told it last (`base`), one edit on its way to the server, and what its user has written
/// since. What others write changes all of them. The base is always the server's text, so all clients reach the same text
/// whatever happens on the way.
public struct TextWriter: Sendable {
    /// An edit that the server has not acked. A resend is the same as the first time.
    public struct Sent: Sendable, Equatable {
        public let clientID: String
        /// The version and the changes as they were sent.
        public let version: Int
        public let changes: TextEdit
    }

    /// The server's text and its version.
    public private(set) var version: Int
    public private(set) var base: [UInt16]
    public private(set) var sent: Sent? { didSet { if sent != oldValue { acceptedIn = nil } } }
    /// The version whose text has the edit on its way, as its answer says.
    private var acceptedIn: Int?
    /// The edit on its way, as a change of `base`.
    private var outgoing: TextEdit?
    /// What was written since, as a change of the text after `outgoing`.
    private var waiting: TextEdit?
    /// The server's text where it is not known whether the edit on its way is in it: after a time without a connection.
    private var ahead: (version: Int, text: [UInt16])?
    /// Then `base` is not the text of `version` where an edit that was told may be gone with a server that was killed.
    package var isAhead: Bool { ahead != nil }
    /// What takes the edit on its way out of `base`, if it was told and is not acked: a server that is killed has stored what
    /// it has acked, and maybe not what it has told.
    private var takesBack: TextEdit?
    /// The text that the user sees and changes.
    public private(set) var text: [UInt16]
    /// How often the server merged an edit to another text than this writer, though both had the same changes.
    public private(set) var surpriseCount = 0
    /// Whether all changes since the edit was sent came as edits.
    private var hasOnlyEdits = true

    public init(_ text: [UInt16], version: Int) {
        (base, self.version, self.text) = (text, version, text)
    }

    /// Whether the server has all that was written here.
    public var isSettled: Bool { sent == nil && waiting == nil }

    // MARK: Here

    /// The user changes `text`.
    public mutating func write(_ edit: TextEdit) {
        guard !edit.changesNothing, let new = edit.apply(to: text) else { return }
        text = new
        waiting = waiting?.composed(with: edit) ?? edit
    }

    /// The edit to send now, if nothing is on its way. It is sent once for each connection until it is answered.
    public mutating func next(clientID: String) -> Sent? {
        guard sent == nil, let edit = waiting else { return nil }
        (outgoing, waiting, hasOnlyEdits) = (edit, nil, true)
        sent = Sent(clientID: clientID, version: version, changes: edit)
        return sent
    }

    // MARK: What the server tells

    /// Someone has changed the text, in the log's order: `element:edited`. Returns the change of the text that the user
    /// sees; nil when the client has missed a version.
    public mutating func edited(_ changes: TextEdit, version: Int, clientID: String?) -> TextEdit? {
        let (known, before) = told
        guard version > known else { return .nothing(text.count) }
        guard version == known + 1, let new = changes.apply(to: before) else { return nil }
        if isOnItsWay(clientID) {
            return confirmed(new, version, acceptedIn == nil ? changes.inverted(of: before) : nil)
        }
        return ahead == nil ? follow(changes, new, version) : wait(new, version)
    }

    /// The server's whole element, in the log's order: `element:updated`. The edit on its way may be in it, if the server has
    /// restarted since: until its answer comes, the text that the user sees stays.
    ///
    /// - Parameter clientID: that of the edit which made this version.
    public mutating func updated(_ new: [UInt16], version: Int, clientID: String? = nil) -> TextEdit {
        let (known, before) = told
        guard version > known else { return .nothing(text.count) }
        hasOnlyEdits = false
        if isOnItsWay(clientID) {
            return confirmed(new, version, acceptedIn == nil ? TextEdit(from: new, to: before) : nil)
        }
        guard outgoing != nil else { return moveOn(to: new, version) }
        // Its answer came before.
        if let acceptedIn, acceptedIn <= version { return confirmed(new, version) }
        let isSame = ahead == nil && new == base
        return isSame ? follow(.nothing(new.count), new, version) : wait(new, version)
    }

    /// The state of the room: the client does not know what happened before. While an edit is on its way, the text that the
    /// user sees stays until the edit was sent again and is answered.
    public mutating func reset(_ new: [UInt16], version: Int) -> TextEdit {
        untell()
        guard sent != nil else { return moveOn(to: new, version) }
        hasOnlyEdits = false
        if let acceptedIn, acceptedIn <= version { return confirmed(new, version) }
        return wait(new, version)
    }

    /// The server has answered the edit: it is in the text of that version. Without `text` that is just what this client
    /// has made of the version that it named. Usually the client is told with `edited`, in the log's order.
    public mutating func accepted(_ sent: Sent, version: Int, text new: [UInt16]?) -> TextEdit {
        guard self.sent == sent else { return .nothing(text.count) }
        guard outgoing != nil else { return settle() }
        acceptedIn = version
        guard let ahead else { return .nothing(text.count) }
        guard version > ahead.version, let answered = new ?? sent.changes.apply(to: ahead.text) else {
            return confirmed(ahead.text, ahead.version)
        }
        return confirmed(answered, version)
    }

    /// The server cannot merge the edit, and has sent its current text: all that was written here becomes a new edit.
    ///
    /// - Parameter isMade: false when the server knows that the text does not have the edit.
    public mutating func conflicted(
        _ sent: Sent, version: Int, text new: [UInt16], isMade: Bool? = nil
    ) -> TextEdit {
        guard self.sent == sent else { return .nothing(text.count) }
        guard let outgoing else { return settle() }
        // What was told after the server has sent its text is newer.
        let newest = told.version > version ? told : (version: version, text: new)
        var written = waiting.map(outgoing.composed) ?? outgoing
        // If the server does not know it, the edit may be in the text all the same. Then others may have written on right behind it.
        if isMade != false, TextEdit(from: base, to: newest.text).includes(outgoing),
            let made = outgoing.apply(to: base)
        {
            (written, base) = (waiting ?? .nothing(made.count), made)
        }
        let rest = isMade == false ? written : written.withoutRepetition(of: TextEdit(from: base, to: newest.text))
        (self.sent, self.outgoing, ahead, waiting) = (nil, nil, nil, rest)
        // What is left of an insertion goes on behind the part of it that is there.
        return moveOn(to: newest.text, newest.version, isBehind: rest != written)
    }

    /// The server does not take the edit at all. It is taken back.
    public mutating func refused(_ sent: Sent) -> TextEdit {
        guard self.sent == sent else { return .nothing(text.count) }
        guard let outgoing else { return settle() }
        let newest = told
        (self.sent, self.outgoing, ahead) = (nil, nil, nil)
        let changes = follow(outgoing.inverted(of: base), base, version)
        return changes.composed(with: moveOn(to: newest.text, newest.version))
    }

    // MARK: Moving on

    /// What the server has told last.
    private var told: (version: Int, text: [UInt16]) { ahead ?? (version, base) }

    /// It is not known whether the edit on its way is in this text: its answer tells.
    private mutating func wait(_ new: [UInt16], _ version: Int) -> TextEdit {
        ahead = (version, new)
        return .nothing(text.count)
    }

    /// The base becomes another text, and what has changed it is not known. No edit is on its way.
    ///
    /// - Parameter isBehind: whether the waiting edit may go on with what has changed the text.
    private mutating func moveOn(to new: [UInt16], _ version: Int, isBehind: Bool = false) -> TextEdit {
        let guess = TextEdit.guess(from: base, to: new)
        takesBack = takesBack?.transformed(after: guess)
        let edit = waiting?.follow(guess: guess, of: base, isBehind: isBehind)
        (base, self.version) = (new, version)
        waiting = edit?.changesNothing == false ? edit : nil
        return show(waiting?.apply(to: base) ?? base)
    }

    /// The base becomes another text by these changes. What is written here goes after them.
    private mutating func follow(_ changes: TextEdit, _ new: [UInt16], _ version: Int) -> TextEdit {
        (base, self.version) = (new, version)
        takesBack = takesBack?.transformed(after: changes)
        var changes = changes
        if let edit = outgoing { (changes, outgoing) = TextEdit.transform(changes, edit) }
        if let edit = waiting {
            let (moved, rest) = TextEdit.transform(changes, edit)
            (changes, waiting) = (moved, rest.changesNothing ? nil : rest)
        }
        text = changes.apply(to: text) ?? text
        return changes
    }

    private func isOnItsWay(_ clientID: String?) -> Bool {
        clientID != nil && clientID == sent?.clientID && outgoing != nil
    }

    /// The edit on its way is in the server's text.
    ///
    /// - Parameter undo: takes it out of that text, if it is not known to be stored.
    private mutating func confirmed(_ new: [UInt16], _ version: Int, _ undo: TextEdit? = nil) -> TextEdit {
        let expected = outgoing?.apply(to: base) ?? base
        if hasOnlyEdits, expected != new { surpriseCount += 1 }
        if undo == nil { sent = nil }
        (base, outgoing, ahead, takesBack) = (expected, nil, nil, nil)
        defer { takesBack = undo }
        return moveOn(to: new, version)
    }

    /// What was told before has its answer now.
    private mutating func settle() -> TextEdit {
        (sent, takesBack) = (nil, nil)
        return .nothing(text.count)
    }

    /// The server may not have the edit any more that it has told.
    private mutating func untell() {
        guard let takesBack, let before = takesBack.apply(to: base) else { return }
        (outgoing, base, self.takesBack) = (takesBack.inverted(of: base), before, nil)
    }

    private mutating func show(_ new: [UInt16]) -> TextEdit {
        defer { text = new }
        return TextEdit(from: text, to: new)
    }
}
