import Testing
import Transport

@testable import Board

@Suite("Bots of a demo")
struct DemoBotsTests {
    @Test(
        "come in where the server listens",
        arguments: [
            ("127.0.0.1", "http://127.0.0.1:8080/x/"), ("0.0.0.0", "http://127.0.0.1:8080/x/"),
            ("192.0.2.7", "http://192.0.2.7:8080/x/"), ("::", "http://[::1]:8080/x/"), ("::1", "http://[::1]:8080/x/"),
        ])
    func url(address: String, url: String) throws {
        let unix = ListenAddress.unix(path: "/run/rooms.sock")
        let tcp = ListenAddress.tcp(try #require(IPAddress(address)), port: 8080)
        #expect(DemoBots.url([unix, tcp], "/x/") == url)
        #expect(DemoBots.url([unix], "/x/") == nil)
    }
}
