import Testing
import Wire

@testable import Sessions

/// Events and their answers, both ways.
@Suite struct EventTests {
    @Test func eventsAndAnswersGoThroughUnchanged() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        let arguments = #"1,"ü\u00fc😀",{"a":[null,true,1.5e3]} , [] "#
        try socket.send("42[\"echo\",\(arguments)]")
        #expect(try socket.nextText() == "42[\"echo\",\(arguments)]")
        try socket.send("427[\"ack\",\(arguments)]")
        #expect(try socket.nextText() == "437[\(arguments)]")
        try socket.send(#"429007199254740991["ack"]"#)
        #expect(try socket.nextText() == "439007199254740991[]")
    }

    @Test func anEventThatWantsNoAnswerGetsNone() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(together: [#"42["ack",1]"#, #"42["echo"]"#])
        #expect(try socket.nextText() == #"42["echo"]"#)
    }

    @Test func anEventsNameMayHoldEscapes() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"42["\u0065cho",1]"#)
        #expect(try socket.nextText() == #"42["echo",1]"#)
    }

    @Test(arguments: ["websocket", "polling"])
    func attachmentsGoBothWays(_ transport: String) throws {
        let server = try TestServer(socketsOn: 1)
        let text = #"["echo",{"_placeholder":true,"num":1},{"a":{"_placeholder":true,"num":0}}]"#
        if transport == "polling" {
            let client = try PollingClient(server)
            try client.post("40")
            _ = try client.poll()
            try client.post("452-\(text)", "bAQ==", "bAgM=")
            #expect(try client.poll() == ["452-\(text)", "bAQ==", "bAgM="])
        } else {
            let socket = try server.socket()
            try socket.send("452-\(text)")
            try socket.send(binary: [1])
            try socket.send(binary: [2, 3])
            #expect(try socket.nextText() == "452-\(text)")
            #expect(try socket.next() == .binary([1]))
            #expect(try socket.next() == .binary([2, 3]))
            // An answer with an attachment.
            try socket.send(#"451-8["ack",{"_placeholder":true,"num":0}]"#)
            try socket.send(binary: [4])
            #expect(try socket.nextText() == #"461-8[{"_placeholder":true,"num":0}]"#)
            #expect(try socket.next() == .binary([4]))
        }
    }

    // MARK: Questions to the client

    @Test func theClientsAnswerArrives() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"42["ask",1]"#)
        #expect(try socket.nextText() == #"420["question",1]"#)
        try socket.send(#"430["yes",2]"#)
        #expect(server.log.has(#"answered "yes",2 []"#))
        // A second answer is ignored.
        try socket.send(together: [#"430["again"]"#, "4399[]", #"42["echo"]"#])
        #expect(try socket.nextText() == #"42["echo"]"#)
        #expect(server.log.all == ["connected /", #"answered "yes",2 []"#])
    }

    @Test func theClientsAnswerMayHaveAttachments() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"451-["ask",{"_placeholder":true,"num":0}]"#)
        try socket.send(binary: [9])
        #expect(try socket.nextText() == #"451-0["question",{"_placeholder":true,"num":0}]"#)
        #expect(try socket.next() == .binary([9]))
        try socket.send(#"461-0[{"_placeholder":true,"num":0}]"#)
        try socket.send(binary: [7, 8])
        #expect(server.log.has(#"answered {"_placeholder":true,"num":0} [[7, 8]]"#))
    }

    @Test func noAnswerInTimeIsTold() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"42["ask-briefly"]"#)
        #expect(try socket.nextText() == #"420["question"]"#)
        #expect(server.log.has("timed out"))
        // Too late.
        try socket.send(together: ["430[]", #"42["echo"]"#])
        #expect(try socket.nextText() == #"42["echo"]"#)
        #expect(server.log.all == ["connected /", "timed out"])
    }

    @Test func aClientThatGoesOwesNothing() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"42["ask-many",3]"#)
        for id in 0..<3 { #expect(try socket.nextText() == "42\(id)[\"question\"]") }
        socket.connection.close()
        #expect(server.log.has("disconnected / transport close"))
        #expect(server.log.all.dropFirst().dropLast() == ["unavailable", "unavailable", "unavailable"])
        #expect(server.leavesNoTrace)
    }

    @Test func aClientThatLeavesTheNamespaceOwesNothing() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(together: [#"42["ask-many",1]"#, "41"])
        #expect(server.log.has("unavailable"))
    }

    @Test func aClientCanOweSoManyAnswersOnly() throws {
        let server = try TestServer(socketsOn: 1) { $0.pendingAcksMax = 2 }
        let socket = try server.socket()
        try socket.send(#"42["ask-many",3]"#)
        #expect(try socket.nextText() == #"420["question"]"#)
        #expect(try socket.nextText() == #"421["question"]"#)
        #expect(server.log.has("unavailable"))
        try socket.send("430[]")
        try socket.send(#"42["ask-many",1]"#)
        #expect(try socket.nextText() == #"422["question"]"#)
    }

    // MARK: Faults with attachments

    @Test(arguments: [
        ["t:45"], [#"b"#], [#"t:451-["a"]"#, #"t:42["echo"]"#], [#"t:451-["a"]"#, #"t:41"#],
        [#"t:451-["a",{"_placeholder":true,"num":1}]"#], [#"t:4511-["a"]"#], [#"t:451-["a",x]"#, "b"],
        [#"t:452-["a"]"#, "b", #"t:42["echo"]"#], [#"t:451-["a",{"_placeholder":true,"num":"0"}]"#],
    ])
    func attachmentsThatDoNotFitEndTheSession(_ messages: [String]) throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        for message in messages {
            if message == "b" {
                try socket.send(binary: [1])
            } else {
                try socket.send(String(message.dropFirst(2)))
            }
        }
        #expect(try socket.readToClose().code == 1002)
        #expect(server.log.has("disconnected / parse error"))
        #expect(server.log.count("event a ") == 0)
        #expect(server.leavesNoTrace)
    }

    @Test func attachmentsTogetherAreBounded() throws {
        let server = try TestServer(socketsOn: 1) { $0.maxPayloadBytes = 1_000 }
        let socket = try server.socket()
        try socket.send(#"452-["a",{"_placeholder":true,"num":0}]"#)
        try socket.send(binary: [UInt8](repeating: 0, count: 600))
        try socket.send(binary: [UInt8](repeating: 0, count: 600))
        #expect(try socket.readToClose().code == 1002)
        #expect(server.leavesNoTrace)
    }

    @Test func tenAttachmentsAreAllowed() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"4510-["echo"]"#)
        for index in 0..<10 { try socket.send(binary: [UInt8(index)]) }
        #expect(try socket.nextText() == #"4510-["echo"]"#)
        for index in 0..<10 { #expect(try socket.next() == .binary([UInt8(index)])) }
    }
}
