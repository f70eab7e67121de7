import Wire

/// The ids of the elements that participants are touching now, each with an index by which binary ticks name it. An
/// index whose last user has gone may stand for another id.
struct TickElements {
    private var ids: [[UInt8]] = []
    private var uses: [Int] = []
    private var free: [Int] = []
    private var indexOfID: [[UInt8]: Int] = [:]

    subscript(index: Int) -> [UInt8] { ids[index] }

    /// One more participant touches the element.
    mutating func use(_ id: Span<UInt8>) -> TickElement {
        let id = id.withUnsafeBufferPointer { Array($0) }
        if let index = indexOfID[id] {
            uses[index] += 1
            return .known(index)
        }
        let index = free.popLast() ?? ids.count
        if index == ids.count {
            ids.append(id)
            uses.append(1)
        } else {
            (ids[index], uses[index]) = (id, 1)
        }
        indexOfID[id] = index
        return .new(index, id)
    }

    /// One participant less does.
    mutating func release(_ index: Int) {
        uses[index] -= 1
        guard uses[index] == 0 else { return }
        indexOfID[ids[index]] = nil
        ids[index] = []
        free.append(index)
    }
}
