import RoomsClient
import Wire

/// A bot that writes in one note of its room, together with the other bots and everybody else.
///
/// All bots of a room write in its first note. Where there is none, the first of them makes one.
final class WritingBot: Bot {
    private var noteID: String?
    private var writer: TextWriter?
    /// Where it writes, and what it is about to write, the next letter last.
    private var place = 0
    private var letters: [Character] = []
    private var nextStroke: Int64 = 0
    private var isMaking = false
    private var nextNumber = 0
    /// Whether an edit waits for its answer.
    private var isUnderWay = false

    /// Past so many units a bot removes the beginning.
    private static let unitsMax = 1_200

    /// What the bot sees; nil without a note.
    var text: String? { writer.map { String(units: $0.text) } }
    var isSettled: Bool { writer?.isSettled ?? true }

    override func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        super.session(session, received: event, in: text)
        switch event.kind {
        case .roomJoined: if let state = RoomState(text, event.arguments) { begin(state) }
        case .elementCreated: if let element = Element(text, event.arguments) { found(element) }
        case .elementUpdated:
            guard let element = Element(text, event.arguments), element.id == noteID else { return }
            let content = [UInt16](element.content ?? "")
            move(by: writer?.updated(content, version: element.version, clientID: element.clientID))
        case .elementEdited:
            guard let change = TextChange(text, event.arguments), change.elementID == noteID else { return }
            move(by: writer?.edited(change.changes, version: change.version, clientID: change.clientID))
            send()
        case .elementDeleted:
            guard let deleted = EventArguments.deleted(text, event.arguments), deleted.elementID == noteID else {
                return
            }
            (noteID, writer) = (nil, nil)
        default: break
        }
    }

    private func begin(_ state: RoomState) {
        if let noteID, let note = state.elements[noteID] {
            move(by: writer?.reset([UInt16](note.content ?? ""), version: note.version))
            // An edit whose answer has come is asked for again: the state may be newer.
            if let sent = writer?.sent, !isUnderWay { deliver(sent) }
            return
        }
        (noteID, writer) = (nil, nil)
        let notes = state.elements.values.filter { $0.kind == .note }
        if let first = notes.min(by: { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }) { found(first) }
    }

    private func found(_ element: Element) {
        guard noteID == nil, element.kind == .note else { return }
        noteID = element.id
        let text = [UInt16](element.content ?? "")
        writer = TextWriter(text, version: element.version)
        place = text.count
    }

    private func move(by changes: TextEdit?) {
        if let changes { place = changes.moved(place) }
    }

    override func act(now: Int64, seconds: Double) {
        guard isThere, now >= nextStroke else { return }
        nextStroke = now + random.milliseconds(60...260)
        guard writer != nil else { return makeNote() }
        if letters.isEmpty { beginPhrase() }
        guard let writer, let letter = letters.popLast() else { return }
        place = min(place, writer.text.count)
        var edit = TextEdit()
        edit.keep(place)
        edit.insert([UInt16](String(letter)))
        edit.keep(writer.text.count - place)
        write(edit)
        place += String(letter).utf16.count
    }

    private func makeNote() {
        guard !isMaking, let session, name.hasSuffix("-0") || random.chance(0.02) else { return }
        isMaking = true
        let note = NewElement(.note, x: 80, y: 80, width: 420, height: 320, content: "")
        session.create(note, in: roomID) { [weak self] result in
            self?.isMaking = false
            self?.swarm.answered(result.map { _ in () })
        }
        swarm.counters.operations += 1
    }

    /// Goes to a place between words, and makes room if the note is full.
    private func beginPhrase() {
        letters = (phrase() + " ").reversed()
        guard let writer else { return }
        let text = writer.text
        if text.count > Self.unitsMax {
            // Words go as a whole.
            let end = text[(text.count / 2)...].firstIndex(of: 0x20) ?? text.count
            var edit = TextEdit()
            edit.remove(end)
            edit.keep(text.count - end)
            write(edit)
        }
        let now = self.writer?.text ?? []
        let gaps = now.indices.filter { now[$0] == 0x20 }
        place = random.chance(0.7) ? now.count : gaps.randomElement(using: &random).map { $0 + 1 } ?? 0
        session?.setCaret(noteID.map { Caret(elementID: $0, position: place) }, in: roomID)
    }

    private func write(_ edit: TextEdit) {
        writer?.write(edit)
        send()
    }

    private func send() {
        nextNumber += 1
        if let sent = writer?.next(clientID: "\(name)-\(connectionCount)-\(nextNumber)") { deliver(sent) }
    }

    private func deliver(_ sent: TextWriter.Sent) {
        guard let noteID, let session else { return }
        isUnderWay = true
        swarm.counters.operations += 1
        session.edit(noteID, sent.changes, version: sent.version, clientID: sent.clientID, in: roomID) { [weak self] in
            self?.answered(sent, $0)
        }
    }

    private func answered(_ sent: TextWriter.Sent, _ result: Result<Edited, ClientError>) {
        isUnderWay = false
        switch result {
        case .success(let edited):
            let text = edited.element.map { [UInt16]($0.content ?? "") }
            move(by: writer?.accepted(sent, version: edited.version, text: text))
            swarm.answered(.success(()))
        case .failure(.refused(let refusal)) where refusal.code == "CONFLICT":
            guard let element = refusal.element else { break }
            move(
                by: writer?.conflicted(
                    sent, version: element.version, text: [UInt16](element.content ?? ""), isMade: refusal.isMade))
            swarm.answered(.success(()))
        case .failure(let error):
            move(by: writer?.refused(sent))
            swarm.answered(.failure(error))
        }
        send()
    }
}
