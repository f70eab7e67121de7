import Foundation
import Testing

@testable import Transport

@Suite("Listening")
struct ListeningTests {
    let routes = Routes()
    let directory = TemporaryDirectory()

    private func serve(shards: Int = 1) throws -> TestServer {
        try TestServer(shards: shards, unixPath: directory.path("s"), handler: routes.handler)
    }

    private var fileExists: Bool { FileManager.default.fileExists(atPath: directory.path("s")) }

    @Test func aUnixSocketIsServedByAllShardsAndRemovedAtTheEnd() throws {
        let server = try serve(shards: 3)
        var shards: Set<String> = []
        for _ in 0..<9 { shards.insert(try Client(unixPath: directory.path("s")).get("/shard").text) }
        #expect(shards == ["0", "1", "2"])
        let client = try Client(unixPath: directory.path("s"))
        #expect(try client.get("/peer").text == "unix")
        #expect(try client.get("/stream?3000000").body.count == 3_000_000)
        #expect(try client.get("/move?2").text == "2")
        server.server.stop()
        #expect(!fileExists)
    }

    @Test func aStaleUnixSocketIsReplacedAndALiveOneIsNot() throws {
        do {
            let server = try serve()
            #expect(throws: TransportError.self) { try serve() }
            #expect(try Client(unixPath: directory.path("s")).get("/hello").text == "hello")
            // A server that dies leaves its file behind.
            let copy = directory.path("s") + ".kept"
            try FileManager.default.linkItem(atPath: directory.path("s"), toPath: copy)
            server.server.stop()
            try FileManager.default.moveItem(atPath: copy, toPath: directory.path("s"))
        }
        #expect(fileExists)
        let server = try serve()
        #expect(try Client(unixPath: directory.path("s")).get("/hello").text == "hello")
        server.server.stop()
    }

    // Connecting to a regular file fails in the same way as to a stale socket, and the file was deleted.
    @Test func aFileThatIsNoSocketIsLeftAlone() throws {
        try directory.write("s", "precious")
        #expect(throws: TransportError.self) { try serve() }
        #expect(try String(contentsOfFile: directory.path("s"), encoding: .utf8) == "precious")
    }

    @Test func theSuccessorsSocketFileIsLeftAlone() throws {
        let old = try serve()
        let client = try Client(unixPath: directory.path("s"))
        #expect(try client.get("/hello").text == "hello")
        old.server.stopListening()
        #expect(!fileExists)
        let new = try serve()
        #expect(try client.get("/hello").text == "hello")
        old.server.stop()
        #expect(fileExists)
        #expect(try Client(unixPath: directory.path("s")).get("/hello").text == "hello")
        new.server.stop()
    }

    @Test(arguments: ["", String(repeating: "x", count: 108)])
    func aPathThatNoUnixSocketCanHaveIsRefused(path: String) {
        #expect(throws: TransportError.self) { try TestServer(unixPath: path, handler: routes.handler) }
    }

    @Test func allShardsGetConnectionsOfOnePort() throws {
        let server = try TestServer(shards: 2, handler: routes.handler)
        var shards: Set<String> = []
        for _ in 0..<200 where shards.count < 2 { shards.insert(try server.connect().get("/shard").text) }
        #expect(shards == ["0", "1"])
    }

    // Sockets that may share a port shared it with another server's as well, without a word.
    @Test func aPortThatAnotherServerHasIsRefused() throws {
        let server = try TestServer(handler: routes.handler)
        let error = #expect(throws: TransportError.self) {
            try TestServer({ $0.addresses = server.server.addresses }, handler: routes.handler)
        }
        #expect(error?.description.contains("\(server.port)") == true)
    }

    @Test func severalAddressesAndIPv6AreServed() throws {
        let server = try TestServer(
            shards: 2,
            { [directory] in
                $0.addresses = [
                    .tcp(.v6(0, 1), port: 0), .tcp(.loopback, port: 0),
                    .unix(path: directory.path("s")),
                ]
            }, handler: routes.handler)
        #expect(server.server.addresses.count == 3)
        guard case .tcp(_, let v4) = server.server.addresses[1] else { return }
        #expect(try Client(port: v4).get("/peer").text == "127.0.0.1")
        #expect(try Client(unixPath: directory.path("s")).get("/peer").text == "unix")
        server.server.stop()
    }

    @Test func aServerThatListensNoMoreKeepsItsConnections() throws {
        let server = try TestServer(shards: 2, handler: routes.handler)
        let client = try server.connect()
        #expect(try client.get("/hello").text == "hello")
        server.server.stopListening()
        for index in 0..<2 { server.onShard(index) { _ in } }
        #expect(throws: (any Error).self) { try server.connect() }
        #expect(try client.get("/hello").text == "hello")
    }
}
