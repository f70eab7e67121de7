import Rooms
import Store
import Wire

extension RoomRecord {
    func member(_ account: String) -> Membership? {
        members.first { $0.leftAt == nil && $0.account.id.isSameID(as: account) }
    }

    /// Whether a user is or was a member of the room.
    func knows(_ account: String) -> Bool { members.contains { $0.account.id.isSameID(as: account) } }

    var currentMemberCount: Int { members.count { $0.leftAt == nil } }

    func isCreator(_ account: String) -> Bool {
        creator?.id.isSameID(as: account) ?? false
    }
}

extension JSONWriter {
    /// A room for its members.
    ///
    /// - Parameter viewer: a user who may have just left; nil for all members.
    mutating func room(_ room: RoomRecord, for viewer: String? = nil) {
        let sees = viewer.map { room.member($0) != nil } ?? true
        beginObject()
        member("id", room.id)
        if let name = room.name { member("name", name) }
        member("createdBy", room.creator?.id ?? "")
        if let creator = room.creator {
            let isNear = viewer.map(creator.id.isSameID) ?? false || sees && room.member(creator.id) != nil
            key("creator")
            user(creator, isNear ? .near : .far)
        }
        member("createdAt", UTCTime.text(room.createdAt))
        member("updatedAt", UTCTime.text(room.updatedAt))
        member("isActive", room.isActive)
        member("elementCount", room.elementCount)
        key("participants")
        beginArray()
        for membership in room.members {
            let isNear = viewer.map(membership.account.id.isSameID) ?? false || sees && membership.leftAt == nil
            participant(membership, of: room.id, isNear ? .near : .far)
        }
        endArray()
        endObject()
    }

    mutating func participant(_ membership: Membership, of room: String, _ sight: Sight) {
        beginObject()
        member("roomId", room)
        member("userId", membership.account.id)
        key("user")
        user(membership.account, sight)
        member("joinedAt", UTCTime.text(membership.joinedAt))
        if let leftAt = membership.leftAt { member("leftAt", UTCTime.text(leftAt)) }
        member("color", ParticipantColor.of(membership.place))
        member("isActive", membership.leftAt == nil)
        endObject()
    }

    mutating func summary(_ room: RoomSummary) {
        beginObject()
        member("id", room.id)
        if let name = room.name { member("name", name) }
        if let createdBy = room.createdBy { member("createdBy", createdBy) }
        member("createdAt", UTCTime.text(room.createdAt))
        member("updatedAt", UTCTime.text(room.updatedAt))
        member("isActive", room.isActive)
        member("elementCount", room.elementCount)
        endObject()
    }
}

/// A room in the form for its participants.
enum RoomShown {
    static func json(_ room: RoomRecord) -> [UInt8] {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { $0.room(room) }
        return json
    }

    static func json(_ membership: Membership, of room: String) -> [UInt8] {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { $0.participant(membership, of: room, .near) }
        return json
    }
}
