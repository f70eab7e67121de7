import Testing

@testable import Fetch

@Suite("The address of a server")
struct FetchURLTests {
    @Test(
        "is taken apart",
        arguments: [
            ("https://a.example", "a.example", 443, "/", "a.example"),
            ("HTTPS://a.example/x/y?z=1", "a.example", 443, "/x/y?z=1", "a.example"),
            ("https://a.example:8443?z", "a.example", 8443, "/?z", "a.example:8443"),
            ("https://[::1]:8443/k", "::1", 8443, "/k", "[::1]:8443"),
            ("http://127.0.0.1:9/k", "127.0.0.1", 9, "/k", "127.0.0.1:9"),
            ("http://localhost/k", "localhost", 80, "/k", "localhost"),
        ])
    func parts(text: String, host: String, port: Int, target: String, authority: String) throws {
        let url = try #require(FetchURL(text))
        #expect(url.host == host && url.port == port && url.target == target && url.authority == authority)
    }

    @Test(
        "is refused over plain http beyond loopback, with a user, a fragment, or when it is none",
        arguments: [
            "http://a.example/", "http://127.evil.example/", "http://localhost.evil.example/", "http://[::2]/",
            "https://u@a.example/", "https://a.example/#x", "https://", "https:///x", "a.example", "ftp://a.example/",
            "https://a.example:0/", "https://a.example:65536/", "https://a.example:x/", "https://a.example:/",
            "https://a example/", "https://a.example/\r\nX: y", "https://ä.example/", "https://[::1/", "https://[a]/",
            "https://[127.0.0.1]/", "https://[::1]x/", "",
        ])
    func refused(text: String) {
        #expect(FetchURL(text) == nil)
    }
}
