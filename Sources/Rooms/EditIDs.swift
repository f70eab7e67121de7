import Wire

/// The ids of the newest edits of a room's texts, by which an edit that is sent again is known.
///
/// An id is kept as a hash of it with its element and its author: a room has thousands of them, and needs none of their texts.
struct EditIDs: Sendable, Recordable {
    struct Place: Sendable {
        let element: ExactText
        /// The version that the edit has made.
        let version: Int
        fileprivate let key: UInt64
    }

    private var keys: Set<UInt64> = []
    /// Nobody knows it, so nobody can look for two ids with the same key.
    private var seed = UInt64.random(in: .min ... .max)
    /// From `first` on, the oldest first.
    private var places: [Place] = []
    private var first = 0

    var count: Int { places.count - first }
    var memoryBytes: Int { places.count * MemoryLayout<Place>.stride + keys.capacity * 2 * MemoryLayout<UInt64>.stride }

    func has(_ id: String, of author: [UInt8], in element: String) -> Bool {
        !keys.isEmpty && keys.contains(key(id, author, element))
    }

    mutating func add(_ id: String, of author: [UInt8], in element: String, version: Int) {
        let key = key(id, author, element)
        guard keys.insert(key).inserted else { return }
        places.append(Place(element: ExactText(element), version: version, key: key))
    }

    mutating func removeOldest() -> Place? {
        guard first < places.count else { return nil }
        let oldest = places[first]
        first += 1
        keys.remove(oldest.key)
        if first > 64, first > places.count / 2 {
            places.removeFirst(first)
            first = 0
        }
        return oldest
    }

    /// FNV-1a.
    private func key(_ id: String, _ author: [UInt8], _ element: String) -> UInt64 {
        var key = seed ^ 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { key = (key ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in id.utf8 { add(byte) }
        // No text has this byte.
        add(0xff)
        for byte in author { add(byte) }
        add(0xff)
        for byte in element.utf8 { add(byte) }
        return key
    }

    // MARK: As a part of a flight

    init() {}

    func write(to record: inout RecordWriter) {
        record.put(seed)
        record.put(Array(places[first...])) { place, record in
            record.put(place.element.text)
            record.put(place.version)
            record.put(place.key)
        }
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        seed = try record.number()
        places = try record.list { record throws(RecordFault) in
            Place(element: ExactText(try record.string()), version: try record.int(), key: try record.number())
        }
        keys = Set(places.map(\.key))
    }
}
