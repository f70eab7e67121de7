/// The devices of users, and their preferences for notifications.
package protocol PushDirectory: Sendable {
    /// Assigns a device of OneSignal to a user. A device of another user moves to this one.
    ///
    /// - Parameter session: that of the user's sign-in on the device; nil when it is not known.
    func setDevice(
        _ id: String, of account: String, session: String?, at now: Int64, then answer: @escaping Answer<Void>)
    /// Assigns a device to a user and an application, which has just been opened there: its badge begins anew. The device
    /// keeps its name and its types, unless it was another user's or another application's.
    func registerDevice(_ device: NewDevice, at now: Int64, then answer: @escaping Answer<Device>)
    /// Removes a device that its provider does not know, unless it was registered after so many seconds since 1970.
    func removeDevice(_ token: String, unlessSeenAfter time: Int64?, then answer: @escaping Answer<Void>)
    /// Answers whether the user had the device for that application.
    func unregisterDevice(
        _ token: String, of account: String, app: String, then answer: @escaping Answer<Bool>)
    /// Sets whether a device gets notifications of some types, and answers all that was set; nil when the user does not have the
    /// device for that application.
    func setDeviceTypes(
        _ types: [String: Bool], of token: String, _ account: String, app: String,
        then answer: @escaping Answer<[String: Bool]?>)
    /// The newest first.
    func devices(of account: String, then answer: @escaping Answer<[Device]>)

    func pushPreferences(of account: String, then answer: @escaping Answer<PushPreferences>)
    /// Replaces all earlier preferences.
    func setPushPreferences(
        _ preferences: PushPreferences, of account: String, then answer: @escaping Answer<Void>)
}

extension PushDirectory {
    package func removeDevice(_ token: String, then answer: @escaping Answer<Void>) {
        removeDevice(token, unlessSeenAfter: nil, then: answer)
    }
}

/// What reaches a device.
package enum DevicePlatform: String, Sendable, CaseIterable {
    /// OneSignal, whatever the device is.
    case onesignal
    /// Apple's service (APNs).
    case ios
    /// Google's (FCM).
    case android
}

package struct NewDevice: Sendable {
    /// By which the provider knows the device.
    package let token: String
    package let platform: DevicePlatform
    package let account: String
    package let app: String
    package let appVersion: String?
    /// The name of a device that is new to the user.
    package let newName: String
    /// That of the user's sign-in on the device; nil when it is not known.
    package let session: String?

    package init(
        token: String, platform: DevicePlatform, account: String, app: String, appVersion: String?, newName: String,
        session: String? = nil
    ) {
        self.session = session
        self.token = token
        self.platform = platform
        self.account = account
        self.app = app
        self.appVersion = appVersion
        self.newName = newName
    }
}

package struct Device: Sendable, Equatable {
    package let token: String
    package let account: String
    package let platform: DevicePlatform
    package let app: String
    package let appVersion: String?
    /// How the application names it; empty for a device of OneSignal.
    package let name: String
    /// By type of notification. A missing type is wanted.
    package let types: [String: Bool]
    package let badge: Int64
    package let createdAt: Int64
    /// That of the user's sign-in on the device; nil when it is not known.
    package let session: String?

    /// The application of devices that are not registered for another.
    package static let rooms = "rooms"

    package init(
        token: String, account: String, platform: DevicePlatform, app: String = Device.rooms, appVersion: String? = nil,
        name: String = "", types: [String: Bool] = [:], badge: Int64 = 0, createdAt: Int64 = 0, session: String? = nil
    ) {
        self.session = session
        self.token = token
        self.account = account
        self.platform = platform
        self.app = app
        self.appVersion = appVersion
        self.name = name
        self.types = types
        self.badge = badge
        self.createdAt = createdAt
    }

    package func wants(_ type: String) -> Bool { types[type] ?? true }
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
