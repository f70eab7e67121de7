import Carriers

/// How one-time codes reach people.
package enum CodeSending: Sendable {
    /// They do not.
    case off
    case texts(Courier)
    /// Every code is 123456, and clients show it. For developers.
    case shown
}
