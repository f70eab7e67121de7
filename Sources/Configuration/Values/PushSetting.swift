/// The provider that delivers notifications to devices.
package enum PushSetting: String, CaseIterable, Sendable {
    case off
    case onesignal
}
