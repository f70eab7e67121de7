import Rooms
import Wire

/// Texts that the client writes in, together with others.
extension ModelClient {
    /// The state of a room: what was written here goes on from there.
    func resetWriters(_ view: inout View) {
        view.edited = [:]
        for (id, writer) in view.writers {
            guard let element = view.state.elements[id] else {
                view.writers[id] = nil
                continue
            }
            var writer = writer
            _ = writer.reset([UInt16](Self.content(element.json)), version: element.version)
            view.writers[id] = writer
        }
    }

    static func content(_ json: [UInt8]) -> String { (try? JSONReader(json))?["content"]?.string ?? "" }

    /// Takes an entry into the text that it changes. The answer is which promise was broken.
    ///
    /// - Parameter isRead: whether the entry may have been read back from the store: then nobody gets it as an edit.
    func write(_ entry: RoomTruth.Entry, _ text: [UInt8], isRead: Bool, _ view: inout View) -> String? {
        let isEdit = SimulatedEvent.begins(text, "2[\"element:edited\"")
        if isEdit, !isWriter { return "an edit that was not asked for" }
        if !isEdit, isWriter, !entry.edit.isEmpty, !isRead { return "a whole element instead of an edit" }
        switch entry.effect {
        case .deleted(let id, _): view.writers[id] = nil
        case .stored(let id, let element):
            guard var writer = view.writers[id], let json = try? JSONReader(element.json) else { return nil }
            let content = [UInt16](json["content"]?.string ?? "")
            let before = writer.text
            let change: TextEdit?
            if isEdit {
                guard let argument = SimulatedEvent.argument(text)?.argument,
                    let changes = SimulatedEvent.changes(argument)
                else { return "an edit that cannot be read" }
                change = writer.edited(changes, version: element.version, clientID: argument["clientId"]?.string)
            } else {
                change = writer.updated(
                    content, version: element.version,
                    clientID: SimulatedEvent.argument(text)?.argument["clientId"]?.string)
            }
            guard change?.apply(to: before) == writer.text else { return "an edit that does not fit" }
            if !writer.isAhead, writer.version == element.version, writer.base != content {
                return "an edit that makes another text"
            }
            if writer.surpriseCount > 0 { return "an edit that was merged in another way than here" }
            view.writers[id] = writer
        default: break
        }
        return nil
    }

    func editAnswered(
        _ sent: TextWriter.Sent, _ id: String, _ room: Int, _ answer: JSONReader, _ error: String?, _ world: Simulation
    ) -> String? {
        guard var writer = views[room]?.writers[id] else { return nil }
        defer { views[room]?.writers[id] = writer }
        let element = answer["element"] ?? answer["error"]?["details"]?["element"]
        let text = element.map { [UInt16]($0["content"]?.string ?? "") }
        switch error {
        case nil:
            guard let version = answer["version"]?.int ?? element?["version"]?.int else {
                return "an edit without a version"
            }
            world.acked[room, default: []].insert("\(id)@\(version)")
            world.note(words: sent, id, room)
            _ = writer.accepted(sent, version: version, text: text)
            if let text { return world.merged(sent, text) }
        case "CONFLICT":
            world.reach(.editConflict)
            guard let text, let version = element?["version"]?.int else { return "a conflict without the element" }
            let isMade = answer["error"]?["details"]?["isMade"]?.bool
            _ = writer.conflicted(sent, version: version, text: text, isMade: isMade)
        // The client is about to hear that it was put out.
        case "FORBIDDEN": break
        case "SERVER_ERROR", "RATE_LIMITED":
            if views[room]?.edited[id] == sent.clientID { views[room]?.edited[id] = nil }
        default:
            _ = writer.refused(sent)
        }
        return nil
    }
}
