import Store

/// A provider that delivers notifications to devices.
package protocol PushProvider: AnyObject {
    /// Delivers a notification to devices and waits for the result. Called by one thread.
    func send(_ message: PushMessage) -> PushOutcome
}

/// A notification for one user.
package struct PushMessage: Sendable, Equatable {
    /// The same for every attempt, and for no other notification: 16 bytes.
    package let id: [UInt8]
    package let kind: PushKind
    package let roomID: String
    package let title: String
    package let text: String
    /// The user's devices, by the provider's ids.
    package let devices: [String]
}

/// What came of an attempt.
package enum PushOutcome: Sendable, Equatable {
    /// The provider has taken it. The devices are those of the message that it does not know, or no more.
    case sent(unknownDevices: [String] = [])
    /// The provider can reach none of the devices. The notification itself is valid.
    case nobody(unknownDevices: [String] = [])
    /// The provider will never take it.
    case refused(String)
    /// It could not be sent now, and no other could.
    case failed(String, retryAfterSeconds: Int? = nil)
}
