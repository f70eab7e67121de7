import Testing
import Transport

@testable import Sessions

@Suite struct HostTests {
    @Test func aServerAnswersUnderTheNamesThatItKnows() throws {
        let server = try TestServer(hosts: .known([.name("rooms.example")], anyAddress: false))
        let hosts = [
            ("rooms.example", 200), ("Rooms.Example:8080", 200), ("localhost:1", 200), ("a.b.localhost", 200),
            ("127.9.9.9", 200), ("[::1]:80", 200), ("evil.example", 421), ("rooms.example.evil.example", 421),
            ("x.rooms.example", 421), ("rooms.example.", 421), ("localhost.evil.example", 421), ("192.0.2.1", 421),
            ("[2001:db8::1]", 421), ("127.0.0.1.evil.example", 421), ("rooms.example:x", 421), ("[::1", 421),
        ]
        for (host, status) in hosts {
            let connection = try server.connect()
            // The page's own name is the origin of its requests, so that only the name tells it.
            let headers = [("Host", host), ("Origin", "http://\(host)")]
            #expect(try connection.request("GET", server.target("polling"), headers).status == status, "\(host)")
            // Whatever else the server answers, it does not answer here: `/shard` is the application's.
            #expect(try connection.request("GET", "/shard", headers).status == status, "\(host)")
        }
        let refusal = #expect(throws: TestRefusal.self) { _ = try server.webSocket([("Host", "evil.example")]) }
        #expect(refusal?.response.status == 421)
        _ = try server.webSocket([("Host", "rooms.example")])
    }

    @Test func anAddressCannotBeMadeToLeadElsewhere() {
        let policy = HostPolicy.known([], anyAddress: true)
        for host in ["192.0.2.1:8080", "[2001:db8::1]", "localhost", nil] { #expect(policy.allows(host)) }
        for host in ["rooms.example", "192.0.2", "0x7f.1", "2130706433", ""] { #expect(!policy.allows(host)) }
    }

    @Test func withTokensEveryNameIsGood() {
        for host in ["evil.example", "%", "", nil] { #expect(HostPolicy.any.allows(host)) }
    }
}
