import Wire

/// The newest changes of the texts of a room's elements. With them an edit of an older version can be merged.
///
/// Past the bounds the oldest changes are forgotten: an edit from before them is refused as a conflict. The ids of edits are
/// kept for longer, so that an edit which is sent again is known even then.
struct TextHistory: Sendable, Recordable {
    struct Change: Sendable {
        /// The version that it made.
        let version: Int
        let edit: TextEdit
        /// Takes the edit back.
        let inverse: TextEdit
        /// The author's id as JSON.
        let author: [UInt8]
        /// The author's own id for the edit.
        let clientID: String?

        var byteCount: Int {
            edit.byteCount + inverse.byteCount + author.count + (clientID?.utf8.count ?? 0) + restBytes
        }

        private var restBytes: Int { 160 }
    }

    /// The changes of one element.
    private struct Line: Sendable {
        /// From this version on all changes are known.
        var since: Int
        var changes: [Change] = []
        /// Versions that the element never had. Nobody knows the texts that a home has told under them.
        var leftOut = 0..<0
        /// From this version on the ids of all edits are known.
        var idsSince: Int

        init(since: Int, idsSince: Int) {
            self.since = since
            self.idsSince = idsSince
        }

        init(from record: inout RecordReader) throws(RecordFault) {
            since = try record.int()
            idsSince = try record.int()
            let (first, end) = (try record.int(), try record.int())
            guard first <= end else { throw RecordFault() }
            leftOut = first..<end
            changes = try record.list { record throws(RecordFault) in
                Change(
                    version: try record.int(), edit: try TextEdit(from: &record), inverse: try TextEdit(from: &record),
                    author: try record.blob(),
                    clientID: try record.optional { record throws(RecordFault) in try record.string() })
            }
        }
    }

    private var lines: [ExactText: Line] = [:]
    /// The changes of all elements, from `first` on, the oldest first. Some of them may be forgotten already.
    private var order: [(element: ExactText, version: Int, byteCount: Int)] = []
    private var first = 0
    private(set) var byteCount = 0
    private var ids = EditIDs()

    var count: Int { order.count - first }
    /// How many ids of edits are known.
    var idCount: Int { ids.count }
    /// The approximate memory, with the lines of elements whose texts have not changed.
    var memoryBytes: Int { byteCount + lines.count * 128 + ids.memoryBytes }

    /// The changes of an element's text after a version; nil when not all of them are known.
    ///
    /// - Parameter current: the element's version.
    func changes(of id: String, after version: Int, current: Int) -> ArraySlice<Change>? {
        guard version <= current else { return nil }
        guard let line = lines[ExactText(id)] else { return version == current ? [] : nil }
        guard version >= line.since, !line.leftOut.contains(version) else { return nil }
        return line.changes[(line.changes.firstIndex { $0.version > version } ?? line.changes.endIndex)...]
    }

    /// Whether an author's edit with this id has been made.
    func has(_ clientID: String, of author: [UInt8], in id: String) -> Bool { ids.has(clientID, of: author, in: id) }

    /// Whether the ids of all edits of an element since a version are known: one that is not among them was not made.
    ///
    /// - Parameter current: the element's version.
    func knowsIDs(of id: String, since version: Int, current: Int) -> Bool {
        version >= lines[ExactText(id)]?.idsSince ?? current
    }

    /// The stored log has a change of an element, the oldest first.
    ///
    /// - Parameters:
    ///   - version: the version that it made.
    ///   - current: the version that the element has now.
    mutating func remember(_ id: String, version: Int, current: Int) {
        if lines[ExactText(id)] == nil { lines[ExactText(id)] = Line(since: current, idsSince: version - 1) }
    }

    /// An edit with this id has made a version of an element.
    mutating func add(_ clientID: String, of author: [UInt8], in id: String, version: Int, limits: RoomLimits) {
        ids.add(clientID, of: author, in: id, version: version)
        while ids.count > limits.rememberedEditsMax, let gone = ids.removeOldest() {
            lines[gone.element]?.idsSince = gone.version
        }
    }

    /// An element is about to be changed, in whatever way: from this version on its text is known.
    mutating func begin(_ id: String, version: Int) {
        if lines[ExactText(id)] == nil { lines[ExactText(id)] = Line(since: version, idsSince: version) }
    }

    /// The element went from one version to another that need not be the next.
    mutating func leaveOut(between version: Int, and next: Int, of id: String) {
        if next > version + 1 { lines[ExactText(id)]?.leftOut = version + 1..<next }
    }

    mutating func append(_ change: Change, of id: String, limits: RoomLimits) {
        begin(id, version: change.version - 1)
        if let clientID = change.clientID {
            add(clientID, of: change.author, in: id, version: change.version, limits: limits)
        }
        let id = ExactText(id)
        lines[id]?.changes.append(change)
        order.append((id, change.version, change.byteCount))
        byteCount += change.byteCount
        if let line = lines[id], line.changes.count > limits.textChangesPerElementMax { forgetFirst(of: id) }
        while byteCount > limits.textChangesBytesMax { forgetOldest() }
    }

    // MARK: As a part of a flight

    init() {}

    func write(to record: inout RecordWriter) {
        record.put(lines.sorted { $0.key.text < $1.key.text }) { line, record in
            record.put(line.key.text)
            record.put(line.value.since)
            record.put(line.value.idsSince)
            record.put(line.value.leftOut.lowerBound)
            record.put(line.value.leftOut.upperBound)
            record.put(line.value.changes) { change, record in
                record.put(change.version)
                change.edit.write(to: &record)
                change.inverse.write(to: &record)
                record.put(change.author)
                record.put(change.clientID) { $1.put($0) }
            }
        }
        record.put(Array(order[first...])) { place, record in
            record.put(place.element.text)
            record.put(place.version)
            record.put(place.byteCount)
        }
        record.put(ids)
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        let lines = try record.list { record throws(RecordFault) in
            (ExactText(try record.string()), try Line(from: &record))
        }
        self.lines = Dictionary(lines) { $1 }
        order = try record.list { record throws(RecordFault) in
            (element: ExactText(try record.string()), version: try record.int(), byteCount: try record.int())
        }
        byteCount = order.reduce(0) { $0 + $1.byteCount }
        ids = try EditIDs(from: &record)
    }

    /// The element is deleted.
    mutating func forget(_ id: String) {
        lines[ExactText(id)] = nil
    }

    private mutating func forgetFirst(of id: ExactText) {
        guard let oldest = lines[id]?.changes.removeFirst() else { return }
        lines[id]?.since = oldest.version
    }

    private mutating func forgetOldest() {
        let oldest = order[first]
        byteCount -= oldest.byteCount
        first += 1
        if lines[oldest.element]?.changes.first?.version == oldest.version { forgetFirst(of: oldest.element) }
        guard first > 64, first > order.count / 2 else { return }
        order.removeFirst(first)
        first = 0
    }
}
