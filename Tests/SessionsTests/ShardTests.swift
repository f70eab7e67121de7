import Testing

@testable import Sessions

/// A session lives on the shard that its id names; the connections of its client come to any.
@Suite struct ShardTests {
    @Test func requestsFromEveryShardFindEverySession() throws {
        let server = try TestServer(shards: 3)
        for home in 0..<3 {
            let client = try PollingClient(server, on: server.connect(toShard: home))
            #expect(SessionID(client.sid)?.shard == home)
            for other in 0..<3 {
                let poster = try server.connect(toShard: other)
                let poller = try server.connect(toShard: other)
                try poller.writeRequest("GET", client.target)
                let posted = try poster.request("POST", client.target, body: Array("4from \(other)".utf8))
                #expect(posted.text == "ok")
                #expect(try poller.readResponse().text == "4from \(other)")
                // The connection has come along, and what follows on it is at home at once.
                #expect(try server.shard(of: poster) == home)
                #expect(try server.shard(of: poller) == home)
            }
        }
    }

    @Test func aLargePostIsHeardFromAnotherShard() throws {
        let server = try TestServer(shards: 3)
        let client = try PollingClient(server, on: server.connect(toShard: 0))
        let poster = try server.connect(toShard: 2)
        let text = "4" + String(repeating: "x", count: 500_000)
        #expect(try poster.request("POST", client.target, body: Array(text.utf8)).text == "ok")
        #expect(try client.poll() == [text])
    }

    @Test func aWebSocketFindsItsSessionFromAnotherShard() throws {
        let server = try TestServer(shards: 3)
        for other in 0..<3 {
            let client = try PollingClient(server, on: server.connect(toShard: 1))
            let connection = try server.connect(toShard: other)
            let socket = try TestWebSocket(connection, server.target("websocket", sid: client.sid))
            try socket.send("2probe")
            #expect(try socket.nextText() == "3probe")
            try socket.send(together: ["5", "4a"])
            #expect(try socket.nextText() == "4a")
        }
    }

    @Test func aPollFromAnotherShardThatIsGivenUpEndsTheSession() throws {
        let server = try TestServer(shards: 3)
        let client = try PollingClient(server, on: server.connect(toShard: 0))
        let poller = try server.connect(toShard: 2)
        try poller.writeRequest("GET", client.target)
        #expect(!poller.isReadable(within: 30))
        poller.close()
        #expect(server.log.has("closed transport close"))
        #expect(server.leavesNoTrace)
    }

    @Test func anIDOfAnotherShardIsUnknownThere() throws {
        let server = try TestServer(shards: 3)
        for shard in 0..<4 {
            let connection = try server.connect(toShard: 0)
            let sid = SessionID(shard: shard).description
            let answer = try connection.request("GET", server.target("polling", sid: sid))
            #expect(answer.text == #"{"code":1,"message":"Session ID unknown"}"#)
        }
    }
}
