import Fetch

/// A file with the authorities that a key server's certificate is checked against.
package enum KeyServerAuthorities {
    /// Whether it can be read and has a certificate in it.
    package static func isGood(_ path: String) -> Bool { (try? FetchAuthorities.check(path)) != nil }
}
