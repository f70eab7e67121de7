import Fetch

/// A file of authorities for the certificate of the key server.
package enum KeyServerAuthorities {
    /// Whether the file can be read and has a certificate.
    package static func isGood(_ path: String) -> Bool { (try? FetchAuthorities.check(path)) != nil }
}
