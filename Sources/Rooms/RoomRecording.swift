import Wire

/// A recording of a room, as its members are told of it.
package struct RoomRecording: Sendable, Equatable {
    package let id: String
    /// Milliseconds since 1970.
    package let startedAt: Int64
    /// The id of the user who has started it; nil when the server records by itself.
    package let startedBy: String?

    package init(id: String, startedAt: Int64, startedBy: String?) {
        self.id = id
        self.startedAt = startedAt
        self.startedBy = startedBy
    }

    /// Appends the members of its JSON object, without the braces.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #""recordingId":"#.utf8)
        bytes.appendJSONString(id.utf8.span)
        bytes.append(contentsOf: #","startedAt":"#.utf8)
        bytes.appendJSONString(UTCTime.text(startedAt / 1_000).utf8.span)
        bytes.append(contentsOf: #","startedBy":"#.utf8)
        if let startedBy { bytes.appendJSONString(startedBy.utf8.span) } else { bytes.append(contentsOf: "null".utf8) }
    }
}

extension RoomRecording: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(id)
        record.put(Int(startedAt))
        record.put(startedBy) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            id: try record.string(), startedAt: Int64(try record.int()),
            startedBy: try record.optional { record throws(RecordFault) in try record.string() })
    }
}

extension Room {
    /// The room is recorded from the next tick on. Members are told, and later joins find it in the room's state.
    package mutating func startRecording(_ recording: RoomRecording) {
        guard !isClosed else { return }
        flight?.note(.startRecording(recording))
        self.recording = recording
        let idJSON = idJSON
        log("recording:started") { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(UInt8(ascii: ","))
            recording.append(to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Members are told that a recording has ended: the present one, or one of which they were told before this room had
    /// its home here.
    package mutating func stopRecording(_ id: String, reason: String) {
        guard !isClosed else { return }
        flight?.note(.stopRecording(id, reason: reason))
        recording = nil
        let idJSON = idJSON
        log("recording:stopped") { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","recordingId":"#.utf8)
            bytes.appendJSONString(id.utf8.span)
            bytes.append(contentsOf: #","reason":"#.utf8)
            bytes.appendJSONString(reason.utf8.span)
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

// MARK: - What is recorded

extension RoomDelta {
    /// Calls `body` with the name and the argument of each event, as a member is told them that takes batches.
    package func forEachEvent(_ body: (_ name: ArraySlice<UInt8>, _ argument: ArraySlice<UInt8>) -> Void) {
        for entry in entries {
            for text in FrameTexts(entry.frames) { Self.event(entry.frames[text]).map { body($0.name, $0.argument) } }
        }
        guard !touches.isEmpty else { return }
        var batch: [UInt8] = []
        appendBatch(to: &batch)
        body(Array("touch:batch".utf8)[...], batch[...])
    }

    /// The parts of `2["name",argument]`.
    private static func event(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, argument: ArraySlice<UInt8>)? {
        guard let comma = text.firstIndex(of: UInt8(ascii: ",")), comma - text.startIndex > 4 else { return nil }
        return (text[text.startIndex + 3..<comma - 1], text[comma + 1..<text.endIndex - 1])
    }

    private func appendBatch(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"roomId":"#.utf8)
        bytes.append(contentsOf: roomJSON)
        bytes.append(contentsOf: #","tick":"#.utf8)
        DecimalInteger.append(Int(tick), to: &bytes)
        bytes.append(contentsOf: #","touches":["#.utf8)
        for (index, touch) in touches.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            touch.place.appendTuple(slot: touch.slot, of: frames, base: touch.frame.lowerBound, to: &bytes)
        }
        bytes.append(contentsOf: "]}".utf8)
    }

    /// The memory that it takes, about.
    package var byteCount: Int { entries.reduce(frames.count + 256) { $0 + $1.byteCount + 64 } + touches.count * 64 }
}

extension RoomState {
    /// The JSON object for a reader who is not in the room.
    package var jsonWithoutSelf: [UInt8] {
        [UInt8(ascii: "{")] + head.dropLast(#","self":"#.utf8.count) + tail + [UInt8(ascii: "}")]
    }
}
