import TestSupport
import Testing

@testable import Configuration

@Suite("Settings must go together")
struct RelationTests {
    @Test(
        "and are refused where they do not",
        arguments: [
            (["--listen", "0.0.0.0:80"], "auth is open and 0.0.0.0:80 can be reached"),
            (["--listen", "127.0.0.1:80,[::]:80"], "auth is open and [::]:80 can be reached"),
            (["--trusted-proxies", "127.0.0.1/32"], "auth is open and a proxy brings clients"),
            (["--forwarded-for", "--listen", "unix:/tmp/rooms-test-none.sock"], "auth is open and a proxy brings"),
            (["--proxy-protocol", "--trusted-proxies", "::1"], "auth is open and a proxy brings clients"),
            (["--public-url", "https://rooms.example"], "auth is open and public-url names the server"),
            (["--public-url", "http://192.0.2.1:8080"], "auth is open and public-url names the server"),
            (["--auth", "hs256"], "hs256 needs a shared secret"),
            (["--auth", "hs256", "--auth-secret", goodSecret, "--auth-secret-file", "x"], "there are two secrets"),
            (["--auth-secret", goodSecret], "auth open uses no shared secret"),
            (["--auth", "jwks", "--auth-secret-file", "x"], "auth jwks uses no shared secret"),
            (["--auth", "jwks", "--auth-issuer", "x"], "jwks lacks auth-jwks-url and auth-audience"),
            (["--auth-jwks-url", "https://a.example"], "auth open uses no provider's keys"),
            (["--auth-issuer", "x"], "auth open checks no tokens"),
            (["--push-app-id", "x"], "push is off, so no notifications are sent"),
            (
                ["--push", "onesignal", "--push-app-id", "x", "--push-key", goodSecret],
                "notifications need a data directory or a store"
            ),
            (
                ["--push", "onesignal", "--data", "/tmp/rooms-test-none", "--push-key", goodSecret],
                "the application has no id"
            ),
            (
                ["--push", "onesignal", "--data", "/tmp/rooms-test-none", "--push-app-id", "x"],
                "the provider needs a key"
            ),
            (["--apple-team", "T", "--apple-key-id", "K"], "the key for Apple is not whole"),
            (
                ["--apple-team", "T", "--apple-key-id", "K", "--apple-key-file", "/dev/null"],
                "no users of Apple sign in"
            ),
            (["--wallet-tokens", "A:0x\(String(repeating: "0", count: 40)):1"], "no node is asked for tokens"),
            (
                [
                    "--wallet-node-url", "https://n", "--wallet-tokens", "ETH:0x\(String(repeating: "0", count: 40)):1",
                ], "a symbol is there twice"
            ),
            (["--flight-recorder", "r1"], "there is no place for what is recorded"),
            (["--record-rooms", "r1"], "there is no place for recordings"),
            (["--record-rooms", "r1", "--data", "/d", "--recordings", "off"], "nothing is recorded"),
            (["--apns-topic", "x"], "APNs has no key"),
            (["--muejam-apns-topic", "x"], "APNs has no key"),
            (["--soul-apns-topic", "x"], "APNs has no key"),
            (["--apns-key-file", "x", "--apns-key-id", "x"], "APNs needs the ids of key, team and app"),
            (["--fcm-key-file", "x"], "notifications need a data directory or a store"),
            (["--sms-account", "x"], "sms is off, so no texts are sent"),
            (["--sms", "twilio", "--sms-from", "x", "--sms-key", goodSecret], "the provider needs an account"),
            (["--sms", "twilio", "--sms-account", "x", "--sms-key", goodSecret], "texts need a sender"),
            (["--sms", "twilio", "--sms-account", "x", "--sms-from", "x"], "the provider needs a key"),
            (
                [
                    "--sms", "twilio", "--sms-account", "x", "--sms-from", "x", "--sms-key", goodSecret,
                    "--sms-key-file", "f",
                ],
                "there are two keys"
            ),
            (
                [
                    "--sms", "twilio", "--sms-account", "x", "--sms-from", "x", "--sms-key", goodSecret,
                    "--developer-codes", "on",
                ],
                "with developer-codes no texts are sent"
            ),
            (["--mail-from", "a@b.cd"], "mail is off, so no letters are sent"),
            (["--mail", "smtp://h"], "letters need a sender"),
            (["--mail", "file", "--mail-from", "a@b.cd"], "letters in files need a data directory"),
            (
                [
                    "--mail", "file", "--mail-from", "a@b.cd", "--data", "/tmp/rooms-test-none", "--mail-user", "u",
                    "--mail-key", "k",
                ],
                "letters in files need no mail server"
            ),
            (["--mail", "smtp://h", "--mail-from", "a@b.cd", "--mail-key", "k"], "there is a key, but no user"),
            (["--mail", "smtp://h", "--mail-from", "a@b.cd", "--mail-user", "u"], "the user needs a key"),
            (
                [
                    "--mail", "smtp://h", "--mail-from", "a@b.cd", "--mail-user", "u", "--mail-key", "k",
                    "--mail-key-file", "f",
                ],
                "there are two keys"
            ),
            (
                ["--developer-codes", "on", "--listen", "0.0.0.0:80", "--allow-open-to-world"],
                "everybody knows the code of developers, and 0.0.0.0:80 can be reached"
            ),
            (
                [
                    "--developer-codes", "on", "--auth", "accounts", "--data", "/tmp/rooms-test-none", "--public-url",
                    "https://a.example",
                ],
                "everybody knows the code of developers, and public-url names the server"
            ),
            (["--apps", "all,soul", "--data", "/tmp/rooms-test-none"], "all has every application already"),
            (["--apps", "soul,soul", "--data", "/tmp/rooms-test-none"], "soul is listed twice"),
            (
                ["--apps", "soul@a.localhost,soul@a.localhost", "--data", "/tmp/rooms-test-none"],
                "soul@a.localhost is listed twice"
            ),
            (
                ["--apps", "soul@a.localhost,subspace@A.localhost", "--data", "/tmp/rooms-test-none"],
                "two applications have the host a.localhost"
            ),
            (["--apps", "soul@localhost", "--data", "/tmp/rooms-test-none"], "localhost is the server's own name"),
            (
                ["--apps", "soul@a.localhost", "--public-url", "http://A.localhost", "--data", "/tmp/rooms-test-none"],
                "a.localhost is the server's own name"
            ),
            (
                ["--apps", "soul@127.0.0.1:8080", "--data", "/tmp/rooms-test-none"],
                "127.0.0.1:8080 is in use twice"
            ),
            (
                [
                    "--apps", "soul@127.0.0.1:3000", "--metrics-listen", "127.0.0.1:3000", "--data",
                    "/tmp/rooms-test-none",
                ],
                "127.0.0.1:3000 is in use twice"
            ),
            (
                ["--apps", "soul@127.0.0.1:3000,subspace@localhost:3000", "--data", "/tmp/rooms-test-none"],
                "127.0.0.1:3000 is in use twice"
            ),
            (
                ["--apps", "soul@0.0.0.0:3000", "--data", "/tmp/rooms-test-none"],
                "auth is open and 0.0.0.0:3000 can be reached"
            ),
            (
                ["--apps", "soul@a.example", "--data", "/tmp/rooms-test-none"],
                "auth is open and apps names the server a.example"
            ),
            (
                [
                    "--apps", "soul@a.example", "--auth", "accounts", "--developer-codes", "on", "--data",
                    "/tmp/rooms-test-none",
                ],
                "everybody knows the code of developers, and apps names the server a.example"
            ),
            (["--media-bucket-key", "k"], "there is no bucket"),
            (["--media-bucket", "https://s3.example", "--media", "/tmp/m"], "the address names no bucket"),
            (["--media-bucket", "https://s3.example/b"], "files on their way need a directory"),
            (
                ["--media-bucket", "https://s3.example/b", "--media", "/tmp/m", "--media-bucket-key-id", "i"],
                "requests to the bucket cannot be signed"
            ),
            (["--listen", ""], "there is no address to listen on"),
            (["--listen", "127.0.0.1:1,localhost:1"], "127.0.0.1:1 is listed twice"),
            (["--tls-cert", "x"], "the certificate has no key"),
            (["--tls-key", "x"], "the key has no certificate"),
            (["--origins", "*,https://a.example"], "* allows every page"),
            (["--proxy-protocol"], "no proxy is trusted"),
            (["--forwarded-for"], "no proxy is trusted"),
            (["--ping-interval", "70s"], "idle-timeout 90s is not more than ping-interval + ping-timeout, 90s"),
            (["--sessions-max", "10", "--sessions-pending-max", "11"], "a bound for a part of the sessions is more"),
            (["--unread-size-max", "16MB", "--max-payload", "9MB"], "unread-size-max is less than two messages"),
            (
                ["--connections-per-address-max", "10001"],
                "10001 connections of one address are more than connections-max"
            ),
            (["--store", "postgresql://h/d", "--store-file", "f"], "there are two stores"),
            (["--cluster-node", "1"], "the nodes of a cluster share a PostgreSQL database"),
            (["--cluster-node", "1", "--store", "postgresql://h/d"], "the nodes have no Redis server"),
            (
                ["--cluster-node", "1", "--store", "postgresql://h/d", "--cluster-redis", "redis://h"],
                "the cluster has no secret"
            ),
            (
                [
                    "--cluster-node", "1", "--store", "postgresql://h/d", "--cluster-redis", "redis://h",
                    "--cluster-redis-file", "f",
                ], "there are two lists of Redis servers"
            ),
            (["--cluster-secret", goodSecret], "the server has no number in a cluster"),
            (["--connections-max", "1", "--threads", "2"], "1 connections are fewer than 2 threads"),
        ])
    func refused(arguments: [String], problem: String) {
        let found = report(arguments)
        #expect(found.faults.contains { $0.problem.contains(problem) }, "\(found.texts)")
        #expect(found.faultKind == .configuration)
    }

    @Test(
        "and are taken where they do",
        arguments: [
            ["--listen", "0.0.0.0:80", "--allow-open-to-world"],
            ["--listen", "0.0.0.0:80", "--auth", "hs256", "--auth-secret", goodSecret],
            [
                "--auth", "jwks", "--auth-issuer", "x", "--auth-audience", "y", "--auth-jwks-url", "https://a.example",
                "--listen", "[::]:80",
            ],
            ["--auth", "hs256", "--auth-secret", goodSecret, "--auth-issuer", "x"],
            ["--push", "onesignal", "--data", "/tmp/rooms-test-none", "--push-app-id", "x", "--push-key", goodSecret],
            [
                "--media-bucket", "https://s3.example/b/p", "--media", "/tmp/rooms-test-none",
                "--media-bucket-key-id", "i", "--media-bucket-key", "k",
            ],
            ["--listen", "127.0.0.1:0,127.0.0.1:0"],
            ["--listen", "unix:/tmp/rooms-test-none.sock"],
            ["--forwarded-for", "--listen", "unix:/tmp/rooms-test-none.sock", "--allow-open-to-world"],
            ["--proxy-protocol", "--forwarded-for", "--trusted-proxies", "10.0.0.0/8", "--allow-open-to-world"],
            ["--public-url", "https://rooms.example", "--allow-open-to-world"],
            ["--public-url", "http://localhost:8080"], ["--public-url", "https://[::1]/rooms"],
            ["--public-url", "http://rooms.localhost"],
            ["--public-url", "https://rooms.example", "--auth", "hs256", "--auth-secret", goodSecret],
            ["--ping-interval", "300ms", "--ping-timeout", "200ms", "--idle-timeout", "1s"],
            ["--connections-per-address-max", "10000"],
        ])
    func taken(arguments: [String]) {
        #expect(report(arguments).texts == [])
    }

    @Test("and a fault names the place of the setting that was set")
    func place() {
        let found = report(environment: ["ROOMS_PING_TIMEOUT": "10m"])
        #expect(found.faults.first?.source == .environment(name: "ROOMS_PING_TIMEOUT"))
    }

    @Test("and nothing is said of relations with a value that could not be read")
    func noFollowingFaults() {
        #expect(report(["--idle-timeout", "x", "--ping-interval", "1h"]).faults.count == 1)
    }

    @Test("and every relation is about settings that exist")
    func relationsNameSettings() {
        for relation in Relations.all {
            #expect(relation.settings.allSatisfy { Settings.named($0) != nil })
            #expect(relation.promise.hasSuffix("."))
        }
    }
}
