import TestSupport
import Testing

@testable import Configuration

/// For each setting some values that are right and different from each other and from the default, and some that are
/// wrong.
struct Sample: CustomTestStringConvertible {
    let setting: Setting
    let good: [String]
    let bad: [String]

    var testDescription: String { setting.name }

    static let all = Settings.all.map { setting in
        let (good, bad) = values(setting)
        return Sample(setting: setting, good: good, bad: bad)
    }

    private static let apps = (
        good: [
            "subspace", "all", "soul@app.example.com", "interspace@127.0.0.1:3000", "subspace@unix:/run/s.sock",
            "soul@[::1]:0",
        ],
        bad: [
            "nonsense", "all!", "subspace, nonsense", "ALL", "subspace@", "@a.example", "subspace@192.0.2.1",
            "subspace@a b", "subspace@a.example:80", "subspace@127.0.0.1:99999", "subspace@.a", "subspace@a.",
            "all@a.example", "soul@a@b", "soul@unix:x",
        ]
    )

    private static func values(_ setting: Setting) -> (good: [String], bad: [String]) {
        if let quantity = setting.quantity { return values(quantity) }
        if setting.isFlag { return (["on", "off", "on"], ["", "maybe", "2", "onn"]) }
        if setting.name == "store" {
            return (
                ["postgresql://h/d", "postgres://u:p@h:5432/d?sslmode=verify-full", "postgresql:///d?host=/run"],
                ["", "d", "mysql://h/d", "postgresql://h:x/d?port=y&no=z", "postgresql://[h/d"]
            )
        }
        if setting.name == "cluster-redis" {
            return (
                [
                    "redis://h", "rediss://u:p@h:6380 redis://[::1]:6379", "redis://:p@h/",
                    "redis-sentinel://h/main rediss-sentinel://u:p@h:1/x",
                ],
                [
                    "", "h:6379", "redis://", "redis://h:x", "redis://u@h", "redis://h/0", "http://h",
                    "redis-sentinel://h", "redis-sentinel://h/a/b",
                ]
            )
        }
        if setting.name == "apps" {
            return apps
        }
        if setting.name == "sms-regions" {
            return (["DE", "US", "FR"], ["de", "DEU", "D1", "D", "UK", "ZZ"])
        }
        if setting.name == "media-bucket-key" {
            return (
                ["x", "a+b/c", String(repeating: "x", count: 512)], ["", "a b", String(repeating: "x", count: 513)]
            )
        }
        if setting.name == "mail-key" {
            return (
                ["x", "app word", String(repeating: "x", count: 512)], ["", "ä", String(repeating: "x", count: 513)]
            )
        }
        if setting.isSecret {
            return (
                ["x" + goodSecret, "y" + goodSecret, "z" + goodSecret],
                ["", "short", String(repeating: "x", count: 4097)]
            )
        }
        if setting.name == "tick" {
            return (["16ms", "auto", "1s"], ["", "often", "0ms", "2s", "Auto"])
        }
        if setting.placeholder.contains("|") {
            let words = setting.placeholder.split(separator: "|").map(String.init)
            return ([words[0], words[1], words[0]], ["", "nonsense", words[0].uppercased() + "!", words[0] + " "])
        }
        return byName[setting.name] ?? (
            ["one", "two", "three"], ["", "with\u{0}zero", "line\nend", String(repeating: "x", count: 4096)]
        )
    }

    private typealias Values = (good: [String], bad: [String])

    private static let addresses: Values = (
        ["127.0.0.1:1", "[::1]:8080, unix:/tmp/rooms.sock", "127.0.0.2:0"],
        [
            "127.0.0.1", ":8080", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:", "::1:8080",
            "example.org:80", "[127.0.0.1]:80", "[::1]", "unix:", "unix:relative", "unix:/dir/",
            "unix:/" + String(repeating: "x", count: 107), "256.0.0.1:80", "127.1:80", "http://127.0.0.1:80",
            "127.0.0.1:80,",
        ]
    )

    private static let urls: Values = (
        ["https://a.example/keys", "http://127.0.0.1:9/keys", "https://[::1]:8443/k?x=y"],
        [
            "", "a.example", "http://a.example/keys", "ftp://a.example", "https://", "https:///keys",
            "https://u:p@a.example", "https://a.example/#x", "https://a.example:0x1/", "https://a example/",
            "http://localhost.example/",
        ]
    )

    private static let byName: [String: Values] = [
        "listen": addresses,
        "metrics-listen": addresses,
        "origins": (
            ["*", "https://a.example, http://b.example:8080", "capacitor://localhost"],
            [
                "a.example", "https://", "https://a.example/", "https://a.example/x", "https://*.example",
                "https://a b.example", "https://u@a.example", "https://a.example:x", "https://a.example:99999",
                "://a.example", "null", "https://a.example?x", "https://[::x]",
            ]
        ),
        "trusted-proxies": (
            ["10.0.0.0/8", "192.0.2.7, fd00::/8", "0.0.0.0/0"],
            [
                "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "10/8", "fd00::1/8",
                "::/129",
                "example.org", "10.0.0.0/8/8",
            ]
        ),
        "path": (
            ["/x/", "/rooms/socket.io/", "/a-b_c.d~e/"],
            ["", "/", "//", "/x", "x/", "/x//y/", "/../", "/x/./", "/a b/", "/ä/", "/%41/", "/x?/", "/x\n/"]
        ),
        "auth-jwks-url": urls,
        "push-url": urls, "fcm-url": urls, "apns-url": urls,
        "sms-url": urls,
        "google-keys-url": urls,
        "apple-keys-url": urls,
        "apple-url": urls,
        "media-bucket": urls,
        "wallet-node-url": urls,
        "wallet-coin": (["ETH", "x1", "MATIC"], ["", "E T", "ETH:", String(repeating: "E", count: 17)]),
        "wallet-tokens": (
            [
                "USDC:0x\(String(repeating: "Aa", count: 20)):6, X:0x\(String(repeating: "0", count: 40)):0",
                "Y:0x\(String(repeating: "1", count: 40)):36", "Z1:0x\(String(repeating: "2", count: 40)):18",
            ],
            [
                "", "USDC", "USDC:0x12:6", "USDC:0x\(String(repeating: "g", count: 40)):6",
                "USDC:0x\(String(repeating: "0", count: 40)):", "USDC:0x\(String(repeating: "0", count: 40)):37",
                ":0x\(String(repeating: "0", count: 40)):6",
            ]
        ),
        "mail": (
            ["file", "smtps://mail.example", "smtp://[::1]:2525"],
            ["", "on", "mail.example", "http://mail.example", "smtp://", "smtp://h:x", "smtp://u:p@h", "smtp://h/x"]
        ),
        "mail-from": (
            ["rooms@mail.example", "a.b+c@d-e.fg", "a@b.cd"],
            ["", "rooms", "@b.cd", "a@b", "a b@c.de", "Rooms <a@b.cd>"]
        ),
        "passkey-domain": (
            ["rooms.example", "localhost", "a-b.c2.example"],
            [
                "", "https://rooms.example", "rooms.example:443", "192.0.2.1", "[::1]", "Rooms.example", "a..b",
                "a_b.c",
                "ä.de",
            ]
        ),
        "passkey-origins": (
            [
                "https://a.example, http://b.example:8080", "capacitor://localhost",
                "android:apk-key-hash:" + String(repeating: "Aa_-", count: 10) + "AAA",
            ],
            [
                "", "*", "a.example", "https://a.example/", "android:apk-key-hash:", "android:apk-key-hash:AAAA",
                "android:apk-key-hash:" + String(repeating: "A", count: 44),
            ]
        ),
        "public-url": webURLs,
        "muejam-web-url": webURLs,
        "muejam-ios-apps": (
            ["ABCDE12345.com.example.app", "1234567890.a-b, ABCDE12345.c", "ABCDEFGHIJ.x"],
            ["", "ABCDE12345", "ABCDE12345.", "ABCDE1234.com.example", "ABCDE12345.com..app", "ABCDE12345.com_x"]
        ),
        "muejam-android-apps": (
            ["com.example.app=" + fingerprint, "a_b=" + fingerprint + ", c.d=" + fingerprint, "x=" + fingerprint],
            [
                "", "com.example.app", "com.example.app=", "com..app=" + fingerprint, "a=" + fingerprint.lowercased(),
                "a=" + fingerprint + ":AB", "a-b=" + fingerprint,
            ]
        ),
    ]

    private static let fingerprint = Array(repeating: "A0", count: 32).joined(separator: ":")

    private static let webURLs: Values = (
        ["https://rooms.example", "http://127.0.0.1:8080", "https://a.example/rooms"],
        [
            "", "rooms.example", "ftp://a.example", "https://", "https:///x", "https://u:p@a.example",
            "https://a.example/#x", "https://a.example?x", "https://a example",
        ]
    )

    private static func values(_ quantity: Quantity) -> (good: [String], bad: [String]) {
        let unit =
            switch quantity.unit {
            case .count, .bytes: ""
            case .milliseconds: "ms"
            }
        let (least, most) = (quantity.range.lowerBound, quantity.range.upperBound)
        var bad = [
            "", "x", "-1\(unit)", "+5\(unit)", "1.5\(unit)", " 5\(unit)", "5 \(unit)x", "٥\(unit)", "5\(unit)\n",
            "99999999999999999999\(unit)", "9223372036854775807h", "\(most + 1)\(unit)", "5parsecs",
        ]
        if least > 0 { bad.append("\(least - 1)\(unit)") }
        if quantity.unit == .milliseconds { bad += ["1000", "0", "1S"] }
        if quantity.unit == .bytes { bad += ["1K", "1M", "9223372036854775807GiB"] }
        return (["\(least)\(unit)", "\(most)\(unit)", "\(least + 1)\(unit)"], bad)
    }
}
