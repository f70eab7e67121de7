import Testing
import Transport
import Wire

@testable import Sessions

@Suite struct MiddlewareTests {
    /// Keeps requests for a test to decide on later.
    private final class Waiting {
        var requests: [ConnectRequest] = []
    }

    private func server(
        _ configure: (inout SessionConfiguration) -> Void = { _ in },
        _ middlewares: @escaping @Sendable (Namespace, EventLog) -> Void
    ) throws -> TestServer {
        try TestServer(
            configure,
            sockets: { server, log in
                middlewares(server.open("/", SocketScript(log)), log)
                server.shard.keep(Waiting())
            })
    }

    /// A server whose only middleware decides on no client.
    private func hesitantServer() throws -> TestServer {
        try server { namespace, log in
            namespace.use { request in
                log.append("asked")
                request.socket.session.shard.local(Waiting.self)?.requests.append(request)
            }
        }
    }

    @Test func allHaveToLetTheClientInOneAfterAnother() throws {
        let server = try server { namespace, log in
            for index in 1...3 {
                namespace.use { request in
                    log.append("step \(index) \(request.socket.isConnected)")
                    request.proceed()
                }
            }
        }
        let socket = try server.socket()
        withExtendedLifetime(socket) {
            #expect(server.log.all == ["step 1 false", "step 2 false", "step 3 false", "connected /"])
        }
    }

    private static let (sid, pid) = (SessionID(shard: 0), SessionID(shard: 0))

    @Test func oneCanSayAsWhomTheClientIsLetIn() throws {
        let server = try server { namespace, log in
            namespace.use { $0.proceed(as: SocketIdentity(sid: Self.sid, pid: Self.pid)) }
            namespace.use { request in
                log.append(request.socket.id)
                request.proceed()
            }
        }
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(try socket.nextText() == #"40{"sid":"\#(Self.sid)","pid":"\#(Self.pid)"}"#)
        #expect(server.log.all.first == Self.sid.description)
    }

    @Test func oneCanRefuseWithAMessageAndData() throws {
        let server = try server { namespace, log in
            namespace.use { $0.refuse("Not \"you\"", data: Array(#"{"code":"NO","n":[1]}"#.utf8)) }
            namespace.use { _ in log.append("not asked any more") }
        }
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(try socket.nextText() == #"44{"message":"Not \"you\"","data":{"code":"NO","n":[1]}}"#)
        // It may try again.
        try socket.send("40")
        #expect(try socket.nextText().hasPrefix("44{"))
        #expect(server.log.all.isEmpty)
        #expect(server.hub.counter(of: "/").value == 0)
    }

    @Test func theDecisionMayComeLater() throws {
        let server = try hesitantServer()
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(server.log.has("asked"))
        #expect(!socket.isReadable(within: 20))
        try server.onShard { book in book.shard.local(Waiting.self)?.requests.forEach { $0.proceed() } }
        #expect(try socket.nextText().hasPrefix("40{"))
        try socket.send(#"42["echo"]"#)
        #expect(try socket.nextText() == #"42["echo"]"#)
    }

    @Test func aSecondConnectBeforeTheDecisionIsOutOfOrder() throws {
        let server = try hesitantServer()
        let (socket, _) = try server.webSocket()
        try socket.send(together: ["40", "40"])
        #expect(try socket.readToClose().code == 1000)
    }

    /// Code that asked for the address or token of a client that had gone used to end the process.
    @Test func aClientThatHasGoneMeanwhileIsNotLetIn() throws {
        let server = try hesitantServer()
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(server.log.has("asked"))
        socket.connection.close()
        #expect(eventually { server.sessionCount == 0 })
        let (peer, isOpen) = try server.onShard { book in
            let request = book.shard.local(Waiting.self)?.requests.popLast()
            request?.proceed()
            return (request?.socket.session.handshake.peer.text, request?.socket.session.isOpen)
        }
        #expect(peer == "127.0.0.1")
        #expect(isOpen == false)
        #expect(server.log.all == ["asked"])
        #expect(server.hub.counter(of: "/").value == 0)
        #expect(server.leavesNoTrace)
    }

    @Test func onlyTheFirstDecisionCounts() throws {
        let server = try server { namespace, _ in
            namespace.use { request in
                request.refuse("first")
                request.proceed()
                request.refuse("second")
            }
        }
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(try socket.nextText() == #"44{"message":"first"}"#)
        #expect(!socket.isReadable(within: 20))
        #expect(server.log.all.isEmpty)
    }

    /// A middleware that let a client in twice used to let it past the next one, whose decision was still due.
    @Test func toProceedTwiceSkipsNoOther() throws {
        let server = try server { namespace, log in
            namespace.use { request in
                request.proceed()
                request.proceed()
            }
            namespace.use { request in
                log.append("asked")
                request.socket.session.shard.local(Waiting.self)?.requests.append(request)
            }
        }
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(server.log.has("asked"))
        #expect(!socket.isReadable(within: 20))
        try server.onShard { book in book.shard.local(Waiting.self)?.requests.forEach { $0.refuse("no") } }
        #expect(try socket.nextText() == #"44{"message":"no"}"#)
        #expect(server.log.all == ["asked"])
    }

    @Test func aMiddlewareMaySendTheClientAway() throws {
        let server = try server { namespace, _ in
            namespace.use { request in
                request.socket.session.close()
                request.proceed()
            }
        }
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(try socket.next() == .close(1000))
        #expect(server.log.all.isEmpty)
        #expect(server.leavesNoTrace)
    }

    @Test func aClientThatWaitsForTheDecisionTooLongIsSentAway() throws {
        let server = try TestServer(
            { $0.connectMilliseconds = 40 },
            sockets: { server, log in
                server.open("/", SocketScript(log)).use { _ in log.append("asked") }
            })
        let (socket, _) = try server.webSocket()
        try socket.send("40")
        #expect(try socket.next() == .close(1000))
        #expect(server.leavesNoTrace)
    }
}
