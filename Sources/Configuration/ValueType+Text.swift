import API
import Accounts
import Chains
import Cluster
import Identity
import Logging
import Push
import Store
import Transport
import Wire

extension ValueType where Value == String {
    /// Any text of one line.
    static func text(most bytes: Int) -> ValueType {
        ValueType("TEXT", bounds: "1 to \(bytes) bytes", format: { $0 }) {
            checkedText($0, most: bytes, right: "Right is one line of 1 to \(bytes) bytes")
        }
    }

    /// The path of a file or a directory. Its content is checked later.
    static func path(_ placeholder: String) -> ValueType {
        ValueType(placeholder, format: { $0 }) {
            checkedText($0, most: 4095, right: "Right is a path of at most 4095 bytes")
        }
    }

    /// The path under which Socket.IO answers.
    static var urlPath: ValueType {
        ValueType("PATH", bounds: "/…/ of letters, digits and -._~", format: { $0 }) { text in
            let right = "Right is a path that begins and ends with a slash, like /socket.io/"
            guard text.utf8.count <= 128 else { return .failure(ValueFault("is over 128 bytes", right: right)) }
            guard text.count > 2, text.hasPrefix("/"), text.hasSuffix("/") else {
                return .failure(ValueFault("does not begin and end with a slash", right: right))
            }
            let segments = text.dropFirst().dropLast().split(separator: "/", omittingEmptySubsequences: false)
            for segment in segments {
                let isPlain = segment.utf8.allSatisfy { isUnreserved($0) }
                guard !segment.isEmpty, segment != ".", segment != "..", isPlain else {
                    return .failure(ValueFault("has an empty, dotted or escaped part", right: right))
                }
            }
            return .success(text)
        }
    }

    /// A country by two letters, like DE.
    static var region: ValueType {
        ValueType("COUNTRY", bounds: "two capital letters", format: { $0 }) { text in
            let isRegion = text.utf8.count == 2 && PhoneNumber.isRegion(text)
            let right = "Right is two capital letters, like DE or GB"
            return isRegion ? .success(text) : .failure(ValueFault("is no country", right: right))
        }
    }

    static var emailAddress: ValueType {
        ValueType("ADDRESS", bounds: "name@domain in ASCII", format: { $0 }) { text in
            let right = "Right is an e-mail address in ASCII, like rooms@example.com"
            return EmailAddress.isValid(text)
                ? .success(text) : .failure(ValueFault("is no e-mail address", right: right))
        }
    }

    /// The address of an OpenID provider's keys. Over plain http an attacker on the way could replace the keys.
    static var keySetURL: ValueType {
        secureURL(like: "https://example.eu.auth0.com/.well-known/jwks.json", plain: "asks for keys over plain http")
    }

    /// The address of a provider of notifications. Over plain http an attacker on the way could read the key.
    static var providerURL: ValueType {
        secureURL(like: "https://api.onesignal.com/notifications", plain: "shows the key over plain http")
    }

    /// A bucket of an S3-compatible store.
    static var bucketURL: ValueType {
        secureURL(like: "https://s3.eu-central-1.amazonaws.com/my-files", plain: "shows files over plain http")
    }

    private static func secureURL(like example: String, plain: String) -> ValueType {
        ValueType("URL", bounds: "https, or http on loopback", format: { $0 }) { text in
            let right = "Right is an https URL, like \(example)"
            guard case .success = checkedText(text, most: 2048, right: right), !text.contains(" ") else {
                return .failure(ValueFault("is no URL", right: right))
            }
            guard let url = PlainURL(text) else { return .failure(ValueFault("is no URL", right: right)) }
            guard !url.authority.contains("@") else {
                return .failure(ValueFault("the URL holds a user name or password", right: right, hidesText: true))
            }
            guard url.place != nil, !text.contains("#") else {
                return .failure(ValueFault("has no host, a wrong port or a fragment", right: right))
            }
            switch url.scheme {
            case "https": return .success(text)
            case "http" where url.isLoopbackWithoutDNS: return .success(text)
            case "http":
                return .failure(ValueFault(plain, right: "\(right); http is for loopback only"))
            default: return .failure(ValueFault("is no https URL", right: right))
            }
        }
    }

    /// The beginning of this server's URLs. A slash at its end is removed.
    static var publicURL: ValueType {
        ValueType("URL", bounds: "http or https", format: { $0 }) { text in
            let right = "Right is an URL like https://rooms.example"
            guard case .success = checkedText(text, most: 1024, right: right), !text.contains(" "),
                let url = PlainURL(text), url.scheme == "https" || url.scheme == "http"
            else { return .failure(ValueFault("is no http or https URL", right: right)) }
            guard url.place != nil, !url.rest.contains(where: { "?#".contains($0) }) else {
                return .failure(ValueFault("has no host, or a user, a query or a fragment", right: right))
            }
            return .success(text.hasSuffix("/") ? String(text.dropLast()) : text)
        }
    }

    /// A domain that passkeys may belong to: a name, no address.
    static var domain: ValueType {
        ValueType("DOMAIN", bounds: "a name of DNS in small letters", format: { $0 }) { text in
            let right = "Right is a name like rooms.example"
            let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let isSmall: (UInt8) -> Bool = { byte in
                byte == UInt8(ascii: "-") || ASCII.isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
            }
            guard case .success = checkedText(text, most: 253, right: right), let host = HostPort(text)?.host,
                case .name = host, labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isSmall) })
            else { return .failure(ValueFault("is no domain", right: right)) }
            return .success(text)
        }
    }

    /// What a coin is called.
    static var coin: ValueType {
        ValueType("SYMBOL", bounds: "1 to 16 letters and digits", format: { $0 }) { text in
            let right = "Right is 1 to 16 letters and digits, like ETH"
            return ChainToken.isSymbol(text) ? .success(text) : .failure(ValueFault("is no symbol", right: right))
        }
    }

    /// An application for iOS: the id of a team, and that of a bundle.
    static var appleApp: ValueType {
        ValueType("APP", bounds: "TEAM.bundle", format: { $0 }) { text in
            let right = "Right is the id of the team with that of the bundle, like ABCDE12345.com.example.app"
            let team = text.prefix { $0 != "." }
            guard text.utf8.count <= 255, team.utf8.count == 10, team.utf8.allSatisfy(isLetterOrDigit),
                isName(text.dropFirst(11), letters: "-")
            else { return .failure(ValueFault("is no application for iOS", right: right)) }
            return .success(text)
        }
    }

    /// An application for Android: a package, and the digest of its certificate.
    static var androidApp: ValueType {
        ValueType("APP", bounds: "PACKAGE=SHA256", format: { $0 }) { text in
            let right = "Right is the package with the SHA-256 of its certificate, like com.example.app=14:6D:E9:..."
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count <= 255, isName(parts[0], letters: "_") else {
                return .failure(ValueFault("is no application for Android", right: right))
            }
            let bytes = parts[1].split(separator: ":", omittingEmptySubsequences: false)
            let isHex = { (byte: UInt8) in ASCII.isDigit(byte) || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte }
            guard bytes.count == 32, bytes.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isHex) }) else {
                return .failure(ValueFault("has no SHA-256 in capital letters", right: right))
            }
            return .success(text)
        }
    }

    /// Words with dots between them.
    private static func isName(_ text: Substring, letters: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { isLetterOrDigit($0) || letters.utf8.contains($0) }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || ASCII.lowercased(byte) &- UInt8(ascii: "a") < 26
    }

    /// An origin as a browser sends it, or `*`.
    static var origin: ValueType {
        ValueType("ORIGIN", bounds: "scheme://host[:port], or * for any", format: { $0 }) { text in
            if text == "*" { return .success(text) }
            let right = "Right is scheme://host[:port] without a path, like https://app.example.org, or *"
            guard !text.contains("*") else {
                return .failure(ValueFault("has a wildcard", right: "\(right). List each origin"))
            }
            guard case .success = checkedText(text, most: 512, right: right), let url = PlainURL(text),
                let origin = url.origin
            else { return .failure(ValueFault("is no origin", right: right)) }
            guard url.rest.isEmpty else {
                return .failure(ValueFault("has a path", right: "Right is \(origin)"))
            }
            return .success(origin)
        }
    }

    /// An origin of a page or an app that uses passkeys. Android makes one of the hash of the app's certificate.
    static var passkeyOrigin: ValueType {
        ValueType("ORIGIN", bounds: "scheme://host[:port], or android:apk-key-hash:HASH", format: { $0 }) { text in
            let app = "android:apk-key-hash:"
            if text.hasPrefix(app), text.utf8.count == app.utf8.count + 43,
                Base64URL.decode(Array(text.utf8.dropFirst(app.utf8.count)).span) != nil
            {
                return .success(text)
            }
            guard text != "*", case .success(let origin) = ValueType.origin.parse(text) else {
                let right =
                    "Right is https://app.example.org, or \(app) with the SHA-256 of the app's certificate in base64url"
                return .failure(ValueFault("is no origin of a page or an app", right: right))
            }
            return .success(origin)
        }
    }
}

extension ValueType where Value == ChainToken {
    static var walletToken: ValueType {
        ValueType("SYMBOL:CONTRACT:DECIMALS", bounds: "up to 36 decimals", format: \.text) { text in
            let right = "Right is SYMBOL:CONTRACT:DECIMALS, like USDC:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6"
            return ChainToken(text).map { .success($0) } ?? .failure(ValueFault("is no token", right: right))
        }
    }
}

extension ValueType where Value == Secret {
    static let secretBytes = 32...4096

    static var secret: ValueType {
        let bounds = "\(secretBytes.lowerBound) to \(secretBytes.upperBound) bytes"
        return ValueType("SECRET", bounds: bounds, format: { $0.description }) { text in
            check(Array(text.utf8))
        }
    }

    /// A key that another party has made.
    static var bucketKey: ValueType {
        ValueType("SECRET", bounds: "1 to 512 bytes of ASCII", format: { $0.description }) { text in
            checkBucketKey(Array(text.utf8))
        }
    }

    static func checkBucketKey(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        guard 1...512 ~= bytes.count, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            let right = "Right is the key alone, 1 to 512 bytes of ASCII without blanks"
            return .failure(ValueFault("is no key", right: right, hidesText: true))
        }
        return .success(Secret(bytes))
    }

    static func checkServiceAccount(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        guard ServiceAccount(bytes) != nil else {
            let right = "Right is the JSON file of a service account with its RSA key, as Firebase's console makes it"
            return .failure(ValueFault("is no service account", right: right, hidesText: true))
        }
        return .success(Secret(bytes))
    }

    static func checkAPNsKey(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        guard PrivateKey(pem: bytes)?.isElliptic == true else {
            let right = "Right is the .p8 file of a token key for APNs"
            return .failure(ValueFault("has no key for APNs", right: right, hidesText: true))
        }
        return .success(Secret(bytes))
    }

    /// A password that another party has made.
    static var mailKey: ValueType {
        ValueType("SECRET", bounds: "1 to 512 bytes of ASCII", format: { $0.description }) { text in
            checkMailKey(Array(text.utf8))
        }
    }

    static func checkMailKey(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        guard 1...512 ~= bytes.count, bytes.allSatisfy({ 0x20..<0x7f ~= $0 }) else {
            let right = "Right is the password alone, 1 to 512 bytes of ASCII"
            return .failure(ValueFault("is no password", right: right, hidesText: true))
        }
        return .success(Secret(bytes))
    }

    /// A database, whose URL may hold a password.
    static var storeURL: ValueType {
        ValueType("URL", bounds: "postgresql://…", format: { $0.description }) { text in
            checkStoreURL(Array(text.utf8))
        }
    }

    static func checkStoreURL(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        do throws(PostgresPlace.Fault) {
            _ = try PostgresPlace(String(decoding: bytes, as: UTF8.self))
            return .success(Secret(bytes))
        } catch {
            let right = "Right is postgresql://USER@HOST/DATABASE?sslmode=verify-full"
            return .failure(ValueFault(error.problem, right: right, hidesText: true))
        }
    }

    /// Redis servers, whose URLs may hold passwords.
    static var redisURLs: ValueType {
        ValueType("URLS", bounds: "redis://…, rediss://… or redis-sentinel://…", format: { $0.description }) { text in
            checkRedisURLs(Array(text.utf8))
        }
    }

    static func checkRedisURLs(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        let right = "Right is redis://HOST:PORT or rediss://USER:PASSWORD@HOST:PORT"
        do throws(RedisServer.Fault) {
            let servers = try RedisServer.list(bytes)
            guard !servers.isEmpty else {
                return .failure(ValueFault("names no server", right: right, hidesText: true))
            }
            return .success(Secret(bytes))
        } catch {
            return .failure(ValueFault(error.problem, right: right, hidesText: true))
        }
    }

    /// HS256 asks for a key at least as long as its hash (RFC 7518, section 3.2).
    static func check(_ bytes: [UInt8]) -> Result<Secret, ValueFault> {
        guard secretBytes.contains(bytes.count) else {
            let problem = "the secret has \(bytes.count) bytes"
            let right = "Right is a secret of \(secretBytes.lowerBound) to \(secretBytes.upperBound) bytes"
            return .failure(ValueFault(problem, right: "\(right), like openssl rand -hex 32 makes", hidesText: true))
        }
        return .success(Secret(bytes))
    }
}

private func checkedText(_ text: String, most bytes: Int, right: String) -> Result<String, ValueFault> {
    if text.isEmpty { return .failure(ValueFault("is empty", right: right)) }
    if text.utf8.count > bytes { return .failure(ValueFault("is too long", right: right)) }
    if text.unicodeScalars.contains(where: LogText.isUnsafe) {
        return .failure(ValueFault("has a control character", right: right))
    }
    return .success(text)
}

/// The characters that a URL's path may hold without escaping, less those that have a meaning somewhere.
private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
    default: false
    }
}

extension ValueType where Value == MailSetting {
    static var mail: ValueType {
        ValueType("off|file|URL", bounds: "smtps, or smtp with STARTTLS", format: { $0.text }) { text in
            let right = "Right is off, file, smtps://mail.example.com or smtp://mail.example.com:587"
            if text.contains("@") {
                return .failure(ValueFault("holds a user name or password", right: right, hidesText: true))
            }
            guard let mail = MailSetting(text) else { return .failure(ValueFault("is no mail server", right: right)) }
            return .success(mail)
        }
    }
}
