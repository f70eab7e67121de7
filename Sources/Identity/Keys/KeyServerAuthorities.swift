import Fetch

/// A file with the authorities that a key server's certificate is checked against.
public enum KeyServerAuthorities {
    /// Whether it can be read and has a certificate in it.
    public static func isGood(_ path: String) -> Bool { (try? ClientTrust(caFile: path)) != nil }
}
