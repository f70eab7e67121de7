import Rooms

extension DatabaseStore {
    package func load(_ room: String, then answer: @escaping Answer<StoredRoom?>) {
        readAfterWrites(then: answer) { [limits, start] (database) throws(StoreError) in
            try RoomReading(database).room(room, limits, start: start)
        }
    }

    package func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>) {
        append(RoomAppend(room: room, entries: entries), then: answer)
    }

    func append(_ append: RoomAppend, then answer: @escaping Answer<UInt64>) {
        // An entry that changes an element is written twice.
        let byteCount = append.entries.reduce(256) { $0 + 2 * $1.json.count + 256 }
        offer(StoreJob(append, byteCount: byteCount, then: answer))
    }

    package func countLoss(of room: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run("UPDATE rooms SET losses = losses + 1 WHERE id = $1", .text(room))
        }
    }

    package func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>) {
        readAfterWrites(then: answer) { [limits] (database) throws(StoreError) in
            let reading = RoomReading(database)
            guard let found = try reading.position(of: room), seq <= found.seq else { return nil }
            let entries = try reading.entries(found.key, after: seq, limits)
            return UInt64(entries.count) == found.seq - seq ? entries : nil
        }
    }

    package func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>
    ) {
        let limit = min(max(limit, 1), limits.pageItemsMax)
        read(then: answer) { [limits] (database) throws(StoreError) in
            try RoomReading(database).changes(of: room, since: position, limit: limit, bytesMax: limits.pageBytesMax)
        }
    }
}
