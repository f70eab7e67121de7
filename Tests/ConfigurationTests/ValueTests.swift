import Sessions
import Testing
import Transport

@testable import Configuration

@Suite("Values of settings")
struct ValueTests {
    @Test("that are wrong are refused with the setting, the place and what is right", arguments: Sample.all)
    func badValuesAreRefused(sample: Sample) throws {
        let name = sample.setting.name
        for text in sample.bad where !(text.isEmpty && sample.setting.isRepeatable) {
            let found = report(["--\(name)=\(text)"])
            let fault = try #require(found.faults.first { $0.settings.first == name }, "\(name)=\(text) was taken")
            #expect(fault.source == .option(name: name))
            #expect(fault.right.hasPrefix("Right is") || fault.right.hasPrefix("Did you mean"))
            #expect(fault.description.hasPrefix("\(name) (option --\(name)): "))
            #expect(!fault.description.contains("\n"))
            #expect(found.source(of: name) == .option(name: name))
        }
    }

    @Test("at both bounds are taken", arguments: Sample.all)
    func goodValuesAreTaken(sample: Sample) {
        let name = sample.setting.name
        for text in sample.good {
            let found = report(["--\(name)", text])
            #expect(found.isReadable(name), "\(text): \(found.texts)")
        }
    }

    @Test(
        "of durations are whole numbers of one unit",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("25s", .seconds(25)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
        ])
    func durations(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.format(duration) == text)
    }

    @Test(
        "of sizes have units of 1000 and 1024",
        arguments: [("16KiB", 16384), ("1MB", 1_000_000), ("1001", 1001), ("2MiB", 2 << 20), ("3kB", 3000), ("0", 0)])
    func sizes(text: String, bytes: Int) {
        #expect(SizeText.parse(text) == bytes)
        #expect(SizeText.format(bytes) == text)
        #expect(SizeText.parse(text.lowercased()) == bytes)
    }

    @Test("of origins lose what a browser would not send")
    func originsAreNormal() {
        let found = report([
            "--origins", "https://App.Example:443,http://b.example:80,http://c.example:443,https://[0:0::1]:443",
            "--origins", "wss://d.example:443",
        ])
        #expect(
            found.configuration.origins == [
                "https://app.example", "http://b.example", "http://c.example:443", "https://[::1]",
                "https://d.example",
            ])
        let listed = Set(found.configuration.origins.compactMap(WebOrigin.init))
        #expect(found.configuration.originPolicy == .listed(listed))
        #expect(report().configuration.originPolicy == .sameOrigin)
        #expect(report(["--origins", "*"]).configuration.originPolicy == .any)
    }

    @Test("of address blocks contain what their prefix says, also IPv4 in the clothes of IPv6")
    func blocks() throws {
        let configuration = report(["--trusted-proxies", "10.0.0.0/9,192.0.2.7,fc00::/7,0.0.0.0/0"]).configuration
        let blocks = configuration.trustedProxies
        try #require(blocks.count == 4)
        func contains(_ block: Int, _ text: String) throws -> Bool {
            blocks[block].contains(try #require(IPAddress(text)))
        }
        #expect(try contains(0, "10.127.255.255"))
        #expect(try !contains(0, "10.128.0.0"))
        #expect(try contains(0, "::ffff:10.1.2.3"))
        #expect(try contains(1, "192.0.2.7"))
        #expect(try !contains(1, "192.0.2.6"))
        #expect(try contains(2, "fd00::1"))
        #expect(try !contains(2, "fe00::1"))
        #expect(try contains(3, "255.255.255.255"))
        #expect(try !contains(3, "::1"))
    }

    @Test(
        "of listening addresses know whether others can reach them",
        arguments: [
            ("127.0.0.1:80", true), ("127.9.9.9:80", true), ("[::1]:80", true), ("[::ffff:127.0.0.1]:80", true),
            ("unix:/run/x", true), ("localhost:80", true), ("0.0.0.0:80", false), ("[::]:80", false),
            ("192.0.2.1:80", false), ("[::ffff:192.0.2.1]:80", false), ("[::2]:80", false),
        ])
    func locality(text: String, isLocal: Bool) throws {
        let address = try ValueType.listen.parse(text).get()
        #expect(address.isLocal == isLocal)
    }
}
