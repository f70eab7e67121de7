import Synchronization

/// Counts how often a user was removed from a room, or a room was closed. Many rooms share a number, so there are few
/// numbers however many rooms there are.
///
/// The directory permits a client to join a moment before the room's home admits it. If the number has changed
/// meanwhile, the home has the directory asked again. A change of another room with the same number costs this
/// question, and nothing else.
final class PermissionMarks: Sendable {
    private static let count = 1_024

    private let marks: [Mark] = (0..<PermissionMarks.count).map { _ in Mark() }

    subscript(_ room: RoomID) -> UInt64 { mark(of: room).value.load(ordering: .acquiring) }

    /// Call it before the connections in the room are removed.
    func change(_ room: RoomID) {
        mark(of: room).value.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    private func mark(of room: RoomID) -> Mark { marks[room.homeShard(of: Self.count)] }

    private final class Mark: Sendable {
        let value = Atomic<UInt64>(0)
    }
}
