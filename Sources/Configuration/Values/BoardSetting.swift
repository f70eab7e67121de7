/// Whether the server shows the board at its root.
package enum BoardSetting: String, CaseIterable, Sendable {
    /// Where everybody may come in anyway.
    case auto
    case on
    case off
}
