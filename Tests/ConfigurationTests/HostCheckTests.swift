import Foundation
import TestSupport
import Testing

@testable import Configuration

@Suite("The configuration is held against the machine")
struct HostCheckTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test("a secret is read from its file without the line end")
    func secretFile() throws {
        let file = try scratch.write("secret", goodSecret + "\r\n")
        let found = report(["--auth", "hs256", "--auth-secret-file", file])
        #expect(found.texts == [])
        #expect(found.warnings.isEmpty)
        #expect(found.configuration.authSecret?.revealed() == Array(goodSecret.utf8))
    }

    @Test("a secret file that is missing, short, or open to all is told")
    func badSecretFiles() throws {
        let short = try scratch.write("short", "hunter2\n")
        let open = try scratch.write("open", goodSecret, mode: 0o644)
        #expect(
            report(["--auth", "hs256", "--auth-secret-file", "\(scratch.path)/x"]).texts.first?.contains(
                "does not exist") == true)
        let found = report(["--auth", "hs256", "--auth-secret-file", short])
        #expect(found.texts.first?.contains("the secret has 7 bytes") == true)
        #expect(found.texts.first?.contains("hunter2") == false)
        let warned = report(["--auth", "hs256", "--auth-secret-file", open])
        #expect(warned.isGood)
        #expect(warned.warnings.first?.problem == "all users of this machine may read \(open)")
    }

    @Test("the place of a store is read from its file, and a wrong one is told without its password")
    func storeFile() throws {
        let file = try scratch.write("place", "postgresql://ann:geheim@db/rooms\n")
        let found = report(["--store-file", file])
        #expect(found.texts == [] && found.warnings.isEmpty)
        #expect(found.configuration.store?.revealed() == Array("postgresql://ann:geheim@db/rooms".utf8))
        let wrong = report(["--store-file", try scratch.write("wrong", "mysql://ann:geheim@db/rooms")])
        #expect(wrong.texts.first?.contains("is not a URL of PostgreSQL") == true)
        #expect(wrong.texts.first?.contains("geheim") == false)
        let seen = report(["--store", "postgresql://ann:geheim@db/rooms"])
        #expect(seen.warnings.first?.settings == ["store"])
    }

    @Test(
        "a cluster whose messages can be read on the way is warned of, wherever the URL stands",
        arguments: [
            ("redis://redis.example:6379", true), ("redis://u:p@10.0.0.5", true), ("redis-sentinel://h:1/main", true),
            ("rediss://h redis://h", true), ("redis://[2001:db8::1]:6379", true), ("rediss://u:p@h", false),
            ("rediss-sentinel://h/main", false), ("redis://127.0.0.1:6379 redis://[::1]", false),
            ("redis://localhost", false), ("redis-sentinel://127.0.0.1:26379/main", true),
            ("rediss-sentinel://localhost/main", false),
        ])
    func clearText(urls: String, isWarned: Bool) throws {
        let secret = try scratch.write("secret", goodSecret)
        let file = try scratch.write("redis", urls)
        let cluster = ["--cluster-node", "1", "--store", "postgresql://h/d", "--cluster-secret-file", secret]
        for (setting, value) in [("cluster-redis", urls), ("cluster-redis-file", file)] {
            let found = report(cluster + ["--\(setting)", value])
            let warnings = found.warnings.filter { $0.problem.hasPrefix("without TLS") }
            #expect(warnings.map(\.settings) == (isWarned ? [[setting]] : []))
            #expect(!warnings.contains { $0.problem.contains("p@") })
        }
    }

    @Test(
        "a demo to which no bots could come is warned of",
        arguments: [
            (["--auth", "hs256", "--auth-secret", goodSecret], "no token"), (["--board", "off"], "the board"),
            (["--listen", "unix:/tmp/rooms-demo.sock"], "Unix sockets"), ([], nil),
        ])
    func demo(arguments: [String], reason: String?) {
        let found = report(["--demo"] + arguments)
        #expect(found.isGood)
        #expect(found.configuration.offersBots == (reason == nil))
        let warning = found.warnings.first { $0.settings == ["demo"] }
        #expect((warning == nil) == (reason == nil))
        if let reason { #expect(warning?.problem.contains(reason) == true) }
    }

    @Test("a demo whose applications have test accounts is not warned of, also without bots")
    func demoOfApplications() {
        let found = report(["--demo", "--auth", "accounts", "--apps", "all", "--data", "/d", "--developer-codes"])
        #expect(found.isGood && !found.configuration.offersBots)
        #expect(!found.warnings.contains { $0.settings == ["demo"] })
    }

    @Test("a data directory is warned of if others may look into it", arguments: ["data", "media"])
    func openDirectory(setting: String) throws {
        let directory = "\(scratch.path)/\(setting)"
        let modes = [0o700: false, 0o750: false, 0o755: true, 0o751: true, 0o754: true]
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        for (mode, isOpen) in modes {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory)
            let found = report(["--\(setting)", directory])
            #expect(found.isGood)
            let problem = "all users of this machine may open \(directory)"
            #expect(found.warnings.map(\.problem) == (isOpen ? [problem] : []))
        }
    }

    @Test("a secret in an option causes a warning")
    func secretOption() {
        let found = report(["--auth", "hs256", "--auth-secret", goodSecret])
        #expect(found.isGood)
        #expect(found.warnings.first?.problem.contains("a secret in an option") == true)
    }

    @Test(
        "a certificate and its key are taken, and its last days are told",
        arguments: [(365, nil), (5, "expires in 5 days"), (-3, "has expired")])
    func certificate(daysLeft: Int, warning: String?) throws {
        let made = try #require(TestCertificate(daysLeft: daysLeft))
        let found = try pair(made.certificatePEM, made.keyPEM)
        #expect(found.texts == [])
        #expect(found.warnings.isEmpty == (warning == nil))
        if let warning { #expect(found.warnings.first?.problem.contains(warning) == true) }
    }

    @Test("a key of another certificate is refused")
    func mismatch() throws {
        let one = try #require(TestCertificate(daysLeft: 365))
        let other = try #require(TestCertificate(daysLeft: 365))
        let found = try pair(one.certificatePEM, other.keyPEM)
        #expect(found.faults.first?.settings == ["tls-cert", "tls-key"])
        #expect(found.faults.first?.problem.contains("does not match") == true)
    }

    @Test("a key with a pass phrase is refused without asking for it")
    func encryptedKey() throws {
        let made = try #require(TestCertificate(daysLeft: 365))
        let found = try pair(made.certificatePEM, made.encryptedKeyPEM)
        #expect(found.faults.first?.problem.contains("has no private key in PEM without a pass phrase") == true)
    }

    @Test("what is no certificate and no key is refused")
    func nonsense() throws {
        let made = try #require(TestCertificate(daysLeft: 365))
        #expect(try pair("nonsense", made.keyPEM).faults.first?.settings == ["tls-cert"])
        #expect(try pair(made.certificatePEM, "nonsense").faults.first?.settings == ["tls-key"])
        let missing = report(["--tls-cert", "\(scratch.path)/a", "--tls-key", "\(scratch.path)/b"])
        #expect(missing.faults.map(\.settings) == [["tls-cert"], ["tls-key"]])
    }

    private func pair(_ certificate: String, _ key: String) throws -> ConfigurationReport {
        let certificate = try scratch.write("cert.pem", certificate, mode: 0o644)
        let key = try scratch.write("key.pem", key)
        return report(["--tls-cert", certificate, "--tls-key", key])
    }

    @Test("places that cannot be made or are something else are refused")
    func places() throws {
        let file = try scratch.write("file", "")
        #expect(report(["--data", "\(scratch.path)/new"]).texts == [])
        #expect(report(["--data", scratch.path]).texts == [])
        #expect(report(["--data", file]).faults.first?.problem == "\(file) is not a directory")
        #expect(report(["--data", "\(scratch.path)/no/such"]).faults.first?.settings == ["data"])
        #expect(report(["--pid-file", "\(scratch.path)/pid"]).texts == [])
        #expect(report(["--pid-file", "\(scratch.path)/no/pid"]).faults.first?.settings == ["pid-file"])
        #expect(report(["--listen", "unix:\(file)"]).faults.first?.problem == "\(file) exists and is not a socket")
        #expect(report(["--listen", "unix:\(scratch.path)/no/s"]).faults.first?.settings == ["listen"])
    }

    @Test("too few descriptors are warned of, with what to raise")
    func descriptors() throws {
        var found = report(["--threads", "2"])
        #expect(found.warnings.isEmpty)
        HostChecks(descriptorsMax: 4096).check(&found)
        let warning = try #require(found.warnings.first)
        #expect(found.isGood)
        #expect(warning.settings == ["connections-max"])
        #expect(warning.problem.contains("10000 connections need 10098 file descriptors"))
        #expect(warning.problem.contains("have at most 4096, enough for 3998 connections"))
        #expect(warning.right.contains("LimitNOFILE=10098"))
        // Files that are sent, uploaded and recorded take descriptors, too.
        var files = report(["--threads", "2", "--data", scratch.path, "--downloads-max", "500"])
        HostChecks(descriptorsMax: 4096).check(&files)
        #expect(files.warnings.contains { $0.problem.contains("10000 connections need 10934 file descriptors") })
        files = report(["--threads", "2", "--data", scratch.path, "--downloads-max", "500", "--recordings", "off"])
        HostChecks(descriptorsMax: 4096).check(&files)
        #expect(files.warnings.contains { $0.problem.contains("10000 connections need 10678 file descriptors") })
    }

    @Test("proxies that are trusted for nothing are warned of")
    func idleProxies() {
        #expect(report(["--trusted-proxies", "10.0.0.0/8"]).warnings.first?.settings == ["trusted-proxies"])
    }
}
