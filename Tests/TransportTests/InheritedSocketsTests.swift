import Foundation
import Testing

@testable import Transport

@Suite("Inherited sockets", .serialized)
struct InheritedSocketsTests {
    let routes = Routes()
    let directory = TemporaryDirectory()

    /// Listening sockets as another process passes them on: one after another from a number on.
    private func inherit(_ sockets: [ListeningSocket], keepsFiles: Bool = false) throws -> InheritedSockets {
        let passed = sockets.map { fcntl($0.fd, F_DUPFD, 900) }
        let first = try #require(passed.first)
        let numbers = first..<(first + Int32(passed.count))
        try #require(passed == Array(numbers))
        return try InheritedSockets(numbers, keepsFiles: keepsFiles)
    }

    private func serve(_ addresses: [ListenAddress], _ shards: Int, _ inherited: InheritedSockets) throws -> TestServer
    {
        let bound = try ListeningSockets(addresses, shardCount: shards, inherited: inherited)
        return try TestServer(shards: shards, bound: bound, { $0.addresses = addresses }, handler: routes.handler)
    }

    private func shards(_ server: TestServer) throws -> Set<String> {
        var seen: Set<String> = []
        for _ in 0..<200 where seen.count < server.server.mailboxes.count {
            seen.insert(try server.connect().get("/shard").text)
        }
        return seen
    }

    @Test(arguments: [(1, 1), (1, 3), (2, 3), (3, 3), (3, 1)])
    func reachAllShardsHoweverManyThereAre(sockets: Int, shardCount: Int) throws {
        var passed = [try ListeningSocket.tcp(.loopback, 0, shared: true)]
        let port = passed[0].port
        while passed.count < sockets { passed.append(try .tcp(.loopback, port, shared: true)) }
        let server = try serve([.tcp(.loopback, port: 0)], shardCount, inherit(passed))
        for socket in passed { socket.close() }
        #expect(server.port == port)
        #expect(try shards(server).count == shardCount)
        server.server.stop()
        #expect(throws: (any Error).self) { try Client(port: port) }
    }

    @Test func whoConnectedBeforeSomebodyAcceptsIsServed() throws {
        let passed = try ListeningSocket.tcp(.loopback, 0, shared: true)
        let early = try (0..<20).map { _ in try Client(port: passed.port) }
        let server = try serve([.tcp(.loopback, port: passed.port)], 2, inherit([passed]))
        passed.close()
        for client in early { #expect(try client.get("/hello").text == "hello") }
        server.server.stop()
    }

    @Test(arguments: [true, false])
    func theFileOfAUnixSocketIsRemovedByWhoseItIs(keepsFiles: Bool) throws {
        let path = directory.path("s")
        let passed = try ListeningSocket.unix(path)
        let server = try serve([.unix(path: path)], 2, inherit([passed], keepsFiles: keepsFiles))
        passed.close()
        #expect(try Client(unixPath: path).get("/hello").text == "hello")
        server.server.stop()
        #expect(FileManager.default.fileExists(atPath: path) == keepsFiles)
    }

    @Test func aServerThatHandsOverLeavesTheFileAndTheQueue() throws {
        let path = directory.path("s")
        let old = try TestServer(unixPath: path, handler: routes.handler)
        let passed = old.server.listeningDescriptors.map { ListeningSocket(fd: $0, port: 0, dealsOut: true) }
        let inherited = try inherit(passed)
        old.server.stopListening(isHandedOver: true)
        old.onShard { _ in }
        let waiting = try Client(unixPath: path)
        old.server.stop()
        let new = try serve([.unix(path: path)], 1, inherited)
        #expect(try waiting.get("/hello").text == "hello")
        new.server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aSocketThatIsNotWantedIsClosedAndNamed() throws {
        let passed = try ListeningSocket.tcp(.loopback, 0, shared: true)
        let bound = try ListeningSockets(
            [.unix(path: directory.path("s"))], shardCount: 1, inherited: inherit([passed]))
        passed.close()
        #expect(bound.unwanted == [.tcp(.loopback, port: passed.port)])
        #expect(throws: (any Error).self) { try Client(port: passed.port) }
        bound.close()
    }

    @Test func whatIsNoListeningSocketIsRefused() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(throws: TransportError.self) { try InheritedSockets(file..<(file + 1), keepsFiles: false) }
    }
}
