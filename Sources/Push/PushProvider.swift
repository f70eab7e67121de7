import Store

/// Who brings notifications to devices.
public protocol PushProvider: AnyObject {
    /// Brings a notification to devices; waits for what comes of it. Called by one thread.
    func send(_ message: PushMessage) -> PushOutcome
}

/// A notification as it is shown to one person.
public struct PushMessage: Sendable, Equatable {
    /// The same for every attempt, and for no other notification: 16 bytes.
    public let id: [UInt8]
    public let kind: PushKind
    public let roomID: String
    public let title: String
    public let text: String
    /// The person's devices, as the provider calls them.
    public let devices: [String]
}

/// What came of an attempt.
public enum PushOutcome: Sendable, Equatable {
    /// The provider has taken it. The devices are those of the message that it does not know, or no more.
    case sent(unknownDevices: [String] = [])
    /// There is none among the devices that it could be brought to. Nothing is wrong with the notification.
    case nobody(unknownDevices: [String] = [])
    /// The provider will never take it.
    case refused(String)
    /// It could not be sent now, and no other could.
    case failed(String, retryAfterSeconds: Int? = nil)
}
