import COpenSSL
import Glibc
import Wire

/// Signs requests to S3-compatible stores, by version 4 of Amazon's signatures.
///
/// libcurl has this too, but in Debian 12 it neither sends the digest of the body, which the stores ask for, nor puts the
/// headers in the order that the signature needs.
package struct BucketSigner: Sendable {
    private let region: String
    private let keyID: String
    private let key: [UInt8]

    package init(region: String, keyID: String, key: [UInt8]) {
        (self.region, self.keyID, self.key) = (region, keyID, key)
    }

    /// The headers that a request needs besides its own.
    ///
    /// - Parameters:
    ///   - target: path and query; the members of the query in the order of their names.
    ///   - digest: of the body.
    func headers(
        _ method: String, _ host: String, _ target: String, _ digest: [UInt8], at time: Int
    ) throws(BucketFault) -> [(String, String)] {
        let (stamp, content) = (Self.stamp(time), Hex.text(digest))
        let (path, query) = (target.prefix { $0 != "?" }, target.drop { $0 != "?" }.dropFirst())
        let names = "host;x-amz-content-sha256;x-amz-date"
        let canonical = """
            \(method)
            \(path)
            \(query)
            host:\(host)
            x-amz-content-sha256:\(content)
            x-amz-date:\(stamp)

            \(names)
            \(content)
            """
        let scope = [String(stamp.prefix(8)), region, "s3", "aws4_request"]
        let shown = scope.joined(separator: "/")
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(shown)\n\(Hex.text(try Self.digest(Array(canonical.utf8))))"
        var secret = Array("AWS4".utf8) + key
        for part in scope { secret = try Self.code(part, secret) }
        let signature = Hex.text(try Self.code(text, secret))
        return [
            ("x-amz-date", stamp), ("x-amz-content-sha256", content),
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(keyID)/\(shown), SignedHeaders=\(names), Signature=\(signature)"
            ),
        ]
    }

    /// `20130524T000000Z`
    private static func stamp(_ time: Int) -> String {
        var (time, parts) = (time, tm())
        gmtime_r(&time, &parts)
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        let date = digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1) + digits(parts.tm_mday)
        return "\(date)T\(digits(parts.tm_hour))\(digits(parts.tm_min))\(digits(parts.tm_sec))Z"
    }

    static func digest(of file: Int32) throws(BucketFault) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard rooms_sha256_file(file, &digest) else { throw BucketFault("a file for the bucket cannot be read") }
        return digest
    }

    static func digest(_ bytes: [UInt8]) throws(BucketFault) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard rooms_sha256(bytes, bytes.count, &digest) else { throw cannotSign }
        return digest
    }

    private static func code(_ text: String, _ key: [UInt8]) throws(BucketFault) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        guard rooms_hmac_sha256(key, key.count, Array(text.utf8), text.utf8.count, &code) else { throw cannotSign }
        return code
    }

    private static let cannotSign = BucketFault("OpenSSL cannot sign requests to the bucket")
}
