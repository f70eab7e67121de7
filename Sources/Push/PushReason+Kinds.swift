import Store

extension PushReason {
    /// The word for a provider's answer, or for none.
    static func kind(_ reason: String) -> String {
        guard let range = reason.firstRange(of: "answers ") else {
            return reason.contains("too long") ? "timeout" : "unreachable"
        }
        switch Int(reason[range.upperBound...].prefix(3)) ?? 0 {
        case 401, 403: return "authentication_failed"
        case 429: return "rate_limited"
        case 500...: return "service_unavailable"
        default: return "rejected"
        }
    }
}
