import Relay
import Rooms
import Wire

/// Clients that write in the texts of elements, each in its own way. Every word is written once.
extension Simulation {
    /// One room, in which three or four clients write in two texts; now and then one of them knows only whole contents.
    func gatherWriters() {
        truths = [0: RoomTruth()]
        configuration.room.participantsMax = 1_000
        configuration.room.elementsMax = 1_000
        clients = (0..<3 + random.below(2)).map { number in
            ModelClient(
                number: number, person: number, touches: [], isWriter: random.percent(85),
                hasOffsets: random.percent(60), polls: random.percent(15), looksAround: false)
        }
    }

    func writeOnly(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        guard let view = client.views[room], view.state.elements.count < 2 else {
            return write(client, connection, room)
        }
        create(client, connection, room)
    }

    func write(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        let id = element(client, room)
        guard let element = client.views[room]?.state.elements[id] else { return }
        guard client.isWriter else { return merge(client, connection, room, id, element) }
        var writer =
            client.views[room]?.writers[id]
            ?? TextWriter([UInt16](ModelClient.content(element.json)), version: element.version)
        if random.percent(80) {
            let text = writer.text
            let place = random.below(text.count + 1)
            var edit = TextEdit()
            edit.keep(place)
            if keepsWords || random.percent(70) {
                edit.insert([UInt16](word()))
                edit.keep(text.count - place)
            } else {
                let count = random.below(min(text.count - place, 12) + 1)
                edit.remove(count)
                edit.keep(text.count - place - count)
            }
            if text.count < 3_000 { writer.write(edit) }
        }
        client.views[room]?.writers[id] = writer
        if random.percent(60) { sendEdit(client, connection, room, id) }
        if random.percent(20) {
            send(
                "element:caret", ",\"elementId\":\"\(id)\",\"position\":\(random.below(50))", .caret(room: room),
                client,
                connection, room)
        }
    }

    /// In place of a word of letters: a character that stands nowhere else, so that it cannot be cut.
    private func word() -> String {
        lastNumber += 1
        return String(UnicodeScalar(UInt32(0x4e00 + lastNumber % 0x5000)).map(Character.init) ?? "?")
    }

    /// Sends what was written, or again what has no answer. Returns whether there was something.
    @discardableResult
    func sendEdit(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int, _ id: String) -> Bool {
        guard var writer = client.views[room]?.writers[id] else { return false }
        lastNumber += 1
        let again = writer.sent
        guard let sent = again ?? writer.next(clientID: "w\(lastNumber)"),
            client.views[room]?.edited[id] != sent.clientID
        else { return false }
        if again != nil { reach(.resentEdit) }
        client.views[room]?.writers[id] = writer
        client.views[room]?.edited[id] = sent.clientID
        var json: [UInt8] = []
        sent.changes.appendJSON(to: &json)
        send(
            "element:edit",
            ",\"elementId\":\"\(id)\",\"version\":\(sent.version),\"clientId\":\"\(sent.clientID)\",\"changes\":"
                + String(decoding: json, as: UTF8.self), .edit(room: room, id: id, sent), client, connection, room)
        return true
    }

    /// A client that knows only whole contents.
    private func merge(
        _ client: ModelClient, _ connection: SimulatedConnection, _ room: Int, _ id: String,
        _ element: RoomTruth.State.Element
    ) {
        let text = [UInt16](ModelClient.content(element.json))
        guard text.count < 3_000 else { return }
        let (word, place) = (word(), random.below(text.count + 1))
        var content: [UInt8] = []
        let new = String(units: text[..<place] + [UInt16](word) + text[place...])
        content.appendJSONString(new.utf8.span)
        send(
            "element:update",
            ",\"elementId\":\"\(id)\",\"baseVersion\":\(element.version),\"content\":"
                + String(decoding: content, as: UTF8.self), .merge(room: room, word: word), client, connection, room)
    }

    // MARK: Answers

    func merged(_ element: JSONReader?, _ room: Int, _ word: String) -> String? {
        guard let id = element?["id"]?.string, let version = element?["version"]?.int else {
            return "a change without an element"
        }
        acked[room, default: []].insert("\(id)@\(version)")
        words[room, default: [:]][word] = id
        return nil
    }

    /// An edit was merged with others.
    func merged(_ sent: TextWriter.Sent, _ text: [UInt16]) -> String? {
        reach(.merged)
        guard keepsWords else { return nil }
        for part in sent.changes.parts {
            guard case .insert(let units) = part else { continue }
            if !units.allSatisfy(text.contains) { return "an edit without its words" }
        }
        return nil
    }

    func note(words sent: TextWriter.Sent, _ id: String, _ room: Int) {
        for case .insert(let units) in sent.changes.parts {
            for unit in units { words[room, default: [:]][String(units: [unit])] = id }
        }
    }

    // MARK: Quiet moments

    /// Lets all that was written go out. Returns whether something was sent.
    func sendEdits() -> Bool {
        var hasSent = false
        for client in clients {
            guard let connection = client.connection, client.isConnected, !connection.isGone, connection.isOpen else {
                continue
            }
            for room in truths.keys.sorted() where client.views[room]?.phase == .inside {
                for id in (client.views[room]?.writers.keys.sorted() ?? []) {
                    if sendEdit(client, connection, room, id) { hasSent = true }
                }
            }
        }
        return hasSent
    }

    /// All writers have the same text, each word once.
    func compareTexts() {
        for client in clients where client.isConnected {
            for (room, view) in client.views where view.phase == .inside {
                for (id, writer) in view.writers.sorted(by: { $0.key < $1.key }) {
                    guard let element = truths[room]?.state.elements[id] else { continue }
                    let text = ModelClient.content(element.json)
                    guard writer.isSettled, String(units: writer.text) == text else {
                        return fail("client \(client.number) sees another text of \(id) in r\(room)")
                    }
                }
            }
        }
        for (room, truth) in truths {
            for (id, element) in truth.state.elements {
                let text = ModelClient.content(element.json)
                let written = text.filter { !$0.isASCII }
                // An edit that is sent again and that the stored log does not reach back to is merged.
                let isRemembered = entriesStored.map { $0 == 1_000 } ?? !hasRestarted
                if isRemembered, Set(written).count < written.count {
                    return fail("a word is twice in \(id) in r\(room)")
                }
                guard keepsWords else { continue }
                for (word, place) in words[room] ?? [:] where place == id && !text.contains(word) {
                    return fail("a word of \(id) in r\(room) was answered and is lost")
                }
            }
        }
    }
}
