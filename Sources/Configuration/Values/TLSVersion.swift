/// The versions of TLS that are still safe to offer.
package enum TLSVersion: String, CaseIterable, Sendable {
    case v1_2 = "1.2"
    case v1_3 = "1.3"
}
