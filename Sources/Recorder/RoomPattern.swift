/// A name of rooms in which `*` stands for any text.
package struct RoomPattern: Sendable, Equatable {
    private let parts: [[UInt8]]

    package init(_ text: String) {
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    package func matches(_ room: String) -> Bool {
        var rest = Array(room.utf8)[...]
        guard let first = parts.first, let last = parts.last, rest.starts(with: first) else { return false }
        guard parts.count > 1 else { return rest.count == first.count }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
}
