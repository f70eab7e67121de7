/// The devices of users, and their preferences for notifications.
package protocol PushDirectory: Sendable {
    /// Assigns a device to a user. A device of another user moves to this one.
    func setDevice(_ id: String, of account: String, at now: Int64, then answer: @escaping Answer<Void>)
    func removeDevice(_ id: String, then answer: @escaping Answer<Void>)
    /// The newest first.
    func devices(of account: String, then answer: @escaping Answer<[String]>)

    func pushPreferences(of account: String, then answer: @escaping Answer<PushPreferences>)
    /// Replaces all earlier preferences.
    func setPushPreferences(
        _ preferences: PushPreferences, of account: String, then answer: @escaping Answer<Void>)
}

package struct PushPreferences: Sendable, Equatable {
    /// By type. A missing type is wanted.
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
