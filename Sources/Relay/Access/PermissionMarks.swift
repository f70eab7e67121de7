import Synchronization

/// How often somebody was put out of a room, or a room was closed: numbers that many rooms share, so that they are few
/// however many rooms there are.
///
/// Whoever joins was permitted to a moment before. When the number has changed until the room's home lets them in, it is
/// asked again whether they may. Another room's change costs that question and nothing else.
final class PermissionMarks: Sendable {
    private static let count = 1_024

    private let marks: [Mark] = (0..<PermissionMarks.count).map { _ in Mark() }

    subscript(_ room: RoomID) -> UInt64 { mark(of: room).value.load(ordering: .acquiring) }

    /// Before those are put out who are in the room.
    func change(_ room: RoomID) {
        mark(of: room).value.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    private func mark(of room: RoomID) -> Mark { marks[room.homeShard(of: Self.count)] }

    private final class Mark: Sendable {
        let value = Atomic<UInt64>(0)
    }
}
