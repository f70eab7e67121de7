/// Events of notifications, for the log. None names a user.
package enum PushNotice: Sendable, Equatable {
    /// With the newest one after a pause, the provider can be reached again.
    case resumed
    /// The provider gets nothing until the pause is over.
    case paused(provider: String, reason: String, milliseconds: Int64)
    /// The provider will never take it: it is dropped.
    case refused(type: String, room: String, reason: String)
    /// It has waited too long: it is dropped.
    case tooOld(type: String, room: String)
    /// The provider does not know devices any more; they are forgotten.
    case devicesForgotten(Int)
    /// The outbox cannot be used.
    case outboxFailed(String)
}
