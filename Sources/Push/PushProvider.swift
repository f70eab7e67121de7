import Store

/// Who brings notifications to devices.
package protocol PushProvider: AnyObject {
    /// Brings a notification to devices; waits for what comes of it. Called by one thread.
    func send(_ message: PushMessage) -> PushOutcome
}

/// A notification as it is shown to one person.
package struct PushMessage: Sendable, Equatable {
    /// The same for every attempt, and for no other notification: 16 bytes.
    package let id: [UInt8]
    package let kind: PushKind
    package let roomID: String
    package let title: String
    package let text: String
    /// The person's devices, as the provider calls them.
    package let devices: [String]
}

/// What came of an attempt.
package enum PushOutcome: Sendable, Equatable {
    /// The provider has taken it. The devices are those of the message that it does not know, or no more.
    case sent(unknownDevices: [String] = [])
    /// There is none among the devices that it could be brought to. Nothing is wrong with the notification.
    case nobody(unknownDevices: [String] = [])
    /// The provider will never take it.
    case refused(String)
    /// It could not be sent now, and no other could.
    case failed(String, retryAfterSeconds: Int? = nil)
}
