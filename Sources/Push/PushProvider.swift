import Store

/// A provider that delivers notifications to devices.
package protocol PushProvider: AnyObject {
    /// As in the log, and in errors for applications.
    var name: String { get }
    /// Whether one request delivers to all devices of a user. Otherwise each device gets a request of its own.
    var takesManyDevices: Bool { get }
    /// Delivers a notification to devices and waits for the result. Called by one thread.
    func send(_ message: PushMessage) -> PushOutcome
}

/// What came of an attempt.
package enum PushOutcome: Sendable, Equatable {
    /// The provider has taken it. The devices are those of the message that it does not know, or no more.
    case sent(unknownDevices: [String] = [])
    /// The provider can reach none of the devices. The notification itself is valid.
    ///
    /// - Parameter since: seconds since 1970, when the provider says from when on it does not know them.
    case nobody(unknownDevices: [String] = [], since: Int64? = nil)
    /// The provider will never take it.
    case refused(String)
    /// It could not be sent now, and no other could.
    case failed(String, retryAfterSeconds: Int? = nil)
}
