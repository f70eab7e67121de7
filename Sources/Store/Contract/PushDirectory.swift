/// Where notifications reach people, and which they want.
package protocol PushDirectory: Sendable {
    /// Says that a device is somebody's, now. A device that was somebody else's no longer is.
    func setDevice(_ id: String, of account: String, at now: Int64, then answer: @escaping Answer<Void>)
    func removeDevice(_ id: String, then answer: @escaping Answer<Void>)
    /// The newest first.
    func devices(of account: String, then answer: @escaping Answer<[String]>)

    func pushPreferences(of account: String, then answer: @escaping Answer<PushPreferences>)
    /// Takes the place of all that was said before.
    func setPushPreferences(
        _ preferences: PushPreferences, of account: String, then answer: @escaping Answer<Void>)
}

package struct PushPreferences: Sendable, Equatable {
    /// By type; one that is not here is wanted.
    package var types: [String: Bool]
    /// Ids of rooms, sorted.
    package var mutedRooms: [String]

    package init(types: [String: Bool] = [:], mutedRooms: [String] = []) {
        self.types = types
        self.mutedRooms = mutedRooms
    }

    package func wants(_ type: String, from room: String) -> Bool {
        types[type] ?? true && !mutedRooms.contains { $0.utf8.elementsEqual(room.utf8) }
    }
}
