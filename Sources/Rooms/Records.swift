import Wire

// What nodes of a cluster send each other, as records.

extension ConnectionID: Recordable {
    package func write(to record: inout RecordWriter) { record.put(bits) }

    package init(from record: inout RecordReader) throws(RecordFault) { self.init(bits: try record.number()) }
}

extension Person: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(id)
        record.put(profile)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(id: try record.string(), profile: try record.blob())
    }
}

extension RoomError: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(code.rawValue)
        record.put(message)
        record.put(details)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        let code = Code(rawValue: try record.string())
        guard let code else { throw RecordFault() }
        self.init(code, try record.string(), details: try record.blob())
    }
}

extension LogEntry: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(seq)
        record.put(frames)
        record.put(edit)
        record.put(except)
        record.put(opens)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            seq: try record.number(), frames: try record.blob(), edit: try record.blob(), except: try record.int(),
            opens: try record.int())
    }
}

extension RoomDelta: Recordable {
    /// The most participants of a room: slots are below it.
    private static let slotsMax = 1 << 20
    private static let intervalMax = 60_000

    package func write(to record: inout RecordWriter) {
        record.put(roomJSON)
        record.put(tick)
        record.put(isLast)
        record.put(interval)
        record.put(entries)
        record.put(endedTouches) { $1.put($0) }
        record.put(frames[logByteCount...])
        record.put(touches) { touch, record in
            record.put(touch.slot)
            record.put(touch.frame.count)
            record.put(touch.place.start)
            record.put(touch.place.xCount)
            record.put(touch.place.yCount)
            record.put(touch.place.elementCount)
        }
        record.put(away) { $1.put($0) }
        record.put(carets) { caret, record in
            record.put(caret.slot)
            record.put(caret.frame)
            record.put(caret.isEnd)
        }
    }

    package convenience init(from record: inout RecordReader) throws(RecordFault) {
        let (roomJSON, tick, isLast) = (try record.blob(), try record.number(), try record.bool())
        let interval = try record.int(upTo: Self.intervalMax)
        let entries = try record.values(LogEntry.self)
        let ended = try record.list { record throws(RecordFault) in try record.int(upTo: Self.slotsMax) }
        var frames: [UInt8] = []
        for entry in entries { frames.append(contentsOf: entry.frames) }
        let logByteCount = frames.count
        frames.append(contentsOf: try record.blob())
        var start = logByteCount
        let end = frames.count
        let touches = try record.list { record throws(RecordFault) in
            let slot = try record.int(upTo: Self.slotsMax)
            let count = try record.int(upTo: end - start)
            var place = TouchPlace()
            place.start = try record.int(upTo: count)
            place.xCount = try record.int(upTo: count)
            place.yCount = try record.int(upTo: count)
            place.elementCount = try record.int(upTo: count)
            guard place.start + place.byteCount == count else { throw RecordFault() }
            defer { start += count }
            return Touch(slot: slot, frame: start..<start + count, place: place)
        }
        guard start == end else { throw RecordFault() }
        let away = try record.list { record throws(RecordFault) in try record.int(upTo: Self.slotsMax) }
        let carets = try record.list { record throws(RecordFault) in
            Caret(slot: try record.int(upTo: Self.slotsMax), frame: try record.blob(), isEnd: try record.bool())
        }
        self.init(
            roomJSON: roomJSON, tick: tick, entries: entries, endedTouches: ended, touches: touches, away: away,
            carets: carets,
            frames: frames, logByteCount: logByteCount, isLast: isLast, interval: interval)
    }
}

extension RoomState: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(head)
        record.put(tail)
    }

    package convenience init(from record: inout RecordReader) throws(RecordFault) {
        self.init(head: try record.blob(), tail: try record.blob())
    }
}

extension Element: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(id)
        record.put(kind.rawValue)
        record.put(createdBy)
        record.put(Int(createdAt))
        record.put(values) { $1.put($0) }
        record.put(version)
        record.put(updatedAt) { $1.put(Int($0)) }
        record.put(updatedBy)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        let (id, kind) = (try record.string(), Kind(rawValue: try record.string()))
        let (createdBy, createdAt) = (try record.blob(), Int64(try record.int()))
        let values = try record.list { record throws(RecordFault) in try record.blob() }
        guard let kind, values.count == Field.allCases.count else { throw RecordFault() }
        self.init(
            stored: id, kind: kind, createdBy: createdBy, createdAt: createdAt, values: values,
            version: try record.int(),
            updatedAt: try record.optional { record throws(RecordFault) in Int64(try record.int()) },
            updatedBy: try record.blob())
    }
}

extension Caret: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(elementID)
        record.put(position)
        record.put(anchor) { $1.put($0) }
        record.put(version) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            elementID: try record.string(), position: try record.int(),
            anchor: try record.optional { record throws(RecordFault) in try record.int() },
            version: try record.optional { record throws(RecordFault) in try record.int() })
    }
}

extension TextEdit {
    func write(to record: inout RecordWriter) {
        record.put(parts) { part, record in
            switch part {
            case .keep(let count): record.put(count)
            case .remove(let count): record.put(-count)
            case .insert(let units):
                record.put(0)
                record.put(String(units: units))
            }
        }
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            try record.list { record throws(RecordFault) in
                let number = try record.int()
                guard -(1 << 20)...1 << 20 ~= number else { throw RecordFault() }
                if number == 0 { return .insert([UInt16](try record.string())) }
                return number > 0 ? .keep(number) : .remove(-number)
            })
    }
}

extension Room.Edit: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(elementID)
        record.put(version)
        changes.write(to: &record)
        record.put(clientID) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            elementID: try record.string(), version: try record.int(), changes: try TextEdit(from: &record),
            clientID: try record.optional { record throws(RecordFault) in try record.string() })
    }
}

extension Room.Creation: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(kind.rawValue)
        record.put(values) { $1.put($0) }
        record.put(clientID) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        guard let kind = Element.Kind(rawValue: try record.string()) else { throw RecordFault() }
        let values = try record.list { record throws(RecordFault) in try record.blob() }
        guard values.count == Element.Field.allCases.count else { throw RecordFault() }
        self.init(
            kind: kind, values: values,
            clientID: try record.optional { record throws(RecordFault) in try record.string() })
    }
}
