import Rooms

/// Who may be in a room, as its live members are told.
extension RoomCommands {
    /// Members get `participant:added`; whoever joins from now on is shown the room as `info` describes it.
    public func tellAdded(_ participant: [UInt8], to roomID: String, info: [UInt8], _ done: @escaping Done) {
        perform(roomID, done) { relay, home throws(RoomError) in
            home.room.tellAdded(participant, info: info)
            relay.changed(home)
        }
    }

    /// Members get `participant:removed`. The person is to be expelled before.
    public func tellRemoved(_ personID: String, from roomID: String, info: [UInt8], _ done: @escaping Done) {
        perform(roomID, done) { relay, home throws(RoomError) in
            home.room.tellRemoved(personID, info: info)
            relay.changed(home)
        }
    }
}
