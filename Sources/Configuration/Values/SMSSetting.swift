/// The provider that carries one-time codes to telephones.
package enum SMSSetting: String, CaseIterable, Sendable {
    case off
    case twilio
}
