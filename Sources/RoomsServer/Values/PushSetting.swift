/// Who brings notifications to devices.
public enum PushSetting: String, CaseIterable, Sendable {
    case off
    case onesignal
}
