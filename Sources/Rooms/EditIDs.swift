import Wire

/// The ids of the newest edits of a room's texts, by which an edit that is sent again is known.
///
/// An id is kept as a hash of it with its element and its author: a room has thousands of them, and needs none of their texts.
struct EditIDs: Sendable {
    struct Place: Sendable {
        let element: ExactText
        /// The version that the edit has made.
        let version: Int
        fileprivate let key: Int
    }

    private var keys: Set<Int> = []
    /// From `first` on, the oldest first.
    private var places: [Place] = []
    private var first = 0

    var count: Int { places.count - first }
    var memoryBytes: Int { places.count * MemoryLayout<Place>.stride + keys.capacity * 2 * MemoryLayout<Int>.stride }

    func has(_ id: String, of author: [UInt8], in element: String) -> Bool {
        !keys.isEmpty && keys.contains(Self.key(id, author, element))
    }

    mutating func add(_ id: String, of author: [UInt8], in element: String, version: Int) {
        let key = Self.key(id, author, element)
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

    /// Swift's hashes have a random seed, so nobody can look for two ids with the same one.
    private static func key(_ id: String, _ author: [UInt8], _ element: String) -> Int {
        var hasher = Hasher()
        hasher.combine(id.utf8.count)
        hasher.combine(ExactText(id))
        hasher.combine(author)
        hasher.combine(ExactText(element))
        return hasher.finalize()
    }
}
