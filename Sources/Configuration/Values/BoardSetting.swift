/// Whether the server shows the board at its root.
package enum BoardSetting: String, CaseIterable, Sendable {
    /// The board is shown when `auth` is `open` or `accounts`.
    case auto
    case on
    case off
}
