import Identity
import Store

/// A notification for one user.
package struct PushMessage: Sendable, Equatable {
    /// The same for every attempt, and for no other notification: 16 bytes.
    package let id: [UInt8]
    package var content: PushContent
    /// The user's devices, by the provider's ids.
    package var devices: [String]
    /// The application that they were registered for.
    package var app = Device.rooms
    /// The number beside the application's symbol.
    package var badge: Int64 = 0
}

/// What a notification says, and what the application gets with it.
package struct PushContent: Sendable, Equatable {
    package let type: String
    /// A room, or something of an application.
    package let subject: String
    package let title: String
    package let text: String
    /// By their names, in their order.
    package let data: [Datum]
    /// How Android shows it.
    package let look: PushLook
    /// Whether the phone shows nothing, and the application wakes up to fetch what has changed.
    package var isSilent = false

    package struct Datum: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// What a newer notification, or the same one again, replaces on the phone: every notification has one. Providers take up to
    /// 64 characters, and a header takes ASCII alone; a digest stands for others.
    package var collapseID: String {
        let id = "\(type):\(subject)"
        let isFit = id.utf8.count <= 64 && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        return isFit ? id : Base64URL.text(PushID.digest([type, subject]))
    }
}

package struct PushLook: Sendable, Equatable {
    package var icon: String?
    package var color: String?
    /// What a newer notification replaces on Android, where it is not the collapse id.
    package var tag: String?

    /// - Parameter app: the application of the device.
    static func of(_ app: String, _ type: String) -> PushLook {
        guard app == AppPush.library else { return PushLook() }
        return PushLook(icon: "ic_notification", color: "#6366F1", tag: type)
    }
}
