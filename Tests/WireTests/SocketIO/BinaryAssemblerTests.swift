import Testing
import Wire

struct SocketPlaceholderTests {
    private func find(_ json: String, attachments: Int = 2) throws -> [(String, Int)] {
        let text = Array("51-".utf8) + Array(json.utf8)
        return try SocketPlaceholder.find(in: text.span, payload: 3..<text.count, attachments: attachments).map {
            (String(decoding: text[$0.range], as: UTF8.self), $0.attachment)
        }
    }

    private func numbers(_ json: String) throws -> [Int] { try find(json).map(\.1) }

    @Test func `placeholders are found wherever they stand, with the bytes that they take`() throws {
        let found = try find(#"["a",{"x":[{"_placeholder":true,"num":1}]},{ "num" : 0 , "_placeholder" : true }]"#)
        #expect(found.map(\.0) == [#"{"_placeholder":true,"num":1}"#, #"{ "num" : 0 , "_placeholder" : true }"#])
        #expect(found.map(\.1) == [1, 0])
    }

    @Test(arguments: [
        #"["a"]"#, #"["_placeholder",true,"num",7]"#, #"[{"_placeholder":false,"num":9}]"#,
        #"[{"_placeholder":"true","num":9}]"#, #"[{"_placeholder":[true],"num":9}]"#, #"[{"num":9}]"#,
        #"["{\"_placeholder\":true,\"num\":9}"]"#, #"[{"_placeholder":true,"num":9,"_placeholder":0}]"#,
        #"[{"a":{"_placeholder":1}},{"_Placeholder":true}]"#,
    ])
    func `what a client would not take for a placeholder is none`(json: String) throws {
        #expect(try numbers(json).isEmpty)
    }

    @Test func `what a client would take for a placeholder is one`() throws {
        #expect(try numbers(#"[{"_\u0070laceholder":true,"n\u0075m":1}]"#) == [1])
        #expect(try numbers(#"[{"_placeholder":false,"num":9,"num":1,"_placeholder":true,"more":{}}]"#) == [1])
        #expect(try numbers(#"[{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]"#) == [0, 0])
        #expect(try numbers(#"[{"_placeholder":true,"x":[{"_placeholder":true,"num":0}],"num":1}]"#) == [1])
    }

    @Test(arguments: [
        #"[{"_placeholder":true,"num":2}]"#, #"[{"_placeholder":true}]"#, #"[{"_placeholder":true,"num":-1}]"#,
        #"[{"_placeholder":true,"num":"0"}]"#, #"[{"_placeholder":true,"num":0.5}]"#,
        #"[{"_placeholder":true,"num":01}]"#,
        #"[{"_placeholder":true,"num":99999999999999999999}]"#, #"[{"_placeholder":true,"num":null}]"#,
        #"[{"_placeholder":true,"num":0,"num":[]}]"#, #"[{"_placeholder":true,"num":1e0}]"#,
    ])
    func `a placeholder for no attachment is illegal`(json: String) {
        #expect(throws: SocketPlaceholder.Failure.illegalAttachment) { try find(json) }
    }

    @Test(arguments: ["[", "]", "[}", #"["a]"#, #"["a\"]"#, "{]", #"["a":1]"#, #""a":1"#])
    func `brackets and quotes that do not match are refused`(json: String) {
        #expect(throws: SocketPlaceholder.Failure.malformed) { try find(json) }
    }

    @Test func `depth is bounded`() throws {
        var limits = SocketLimits()
        limits.payloadDepthMax = 3
        func find(_ json: String) throws -> Int {
            let text = Array(json.utf8)
            return try SocketPlaceholder.find(in: text.span, payload: 0..<text.count, attachments: 0, limits: limits)
                .count
        }
        #expect(try find("[[[]],[[]]]") == 0)
        #expect(throws: SocketPlaceholder.Failure.tooDeep) { try find("[[[[]]]]") }
    }
}

struct BinaryAssemblerTests {
    private func begin(_ assembler: inout BinaryAssembler, _ text: String) throws -> AssembledPacket? {
        let bytes = Array(text.utf8)
        return try assembler.begin(try SocketPacketHead.decode(bytes.span), text: bytes)
    }

    private let twoAttachments = #"52-["baz",{"_placeholder":true,"num":1},{"_placeholder":true,"num":0}]"#

    @Test func `a packet is whole with its last attachment`() throws {
        var assembler = BinaryAssembler()
        for _ in 0..<2 {
            #expect(!assembler.isWaiting)
            #expect(try begin(&assembler, twoAttachments) == nil)
            #expect(assembler.isWaiting)
            #expect(try assembler.append([1, 2]) == nil)
            let packet = try #require(try assembler.append([]))
            #expect(packet.attachments == [[1, 2], []])
            #expect(packet.placeholders.map(\.attachment) == [1, 0])
            #expect(String(decoding: packet.text[packet.head.eventName], as: UTF8.self) == "baz")
        }
    }

    @Test func `a packet that announces no attachments is whole at once`() throws {
        var assembler = BinaryAssembler()
        #expect(try begin(&assembler, #"50-["a"]"#)?.attachments == [])
        #expect(!assembler.isWaiting)
    }

    @Test func `text between the attachments and binary without a packet are faults`() throws {
        var assembler = BinaryAssembler()
        #expect(throws: BinaryAssembler.Failure.binaryUnannounced) { try assembler.append([1]) }
        _ = try begin(&assembler, twoAttachments)
        #expect(throws: BinaryAssembler.Failure.textBetween) { try begin(&assembler, twoAttachments) }
        _ = try assembler.append([1])
        _ = try assembler.append([2])
        #expect(throws: BinaryAssembler.Failure.binaryUnannounced) { try assembler.append([3]) }
    }

    @Test func `a placeholder without attachment fails before any attachment is held`() throws {
        var assembler = BinaryAssembler()
        #expect(throws: BinaryAssembler.Failure.placeholders(.illegalAttachment)) {
            try begin(&assembler, #"51-["a",{"_placeholder":true,"num":1}]"#)
        }
        #expect(!assembler.isWaiting)
    }

    @Test func `the bound on bytes is for all attachments of a packet together`() throws {
        var limits = SocketLimits()
        limits.attachmentsBytesMax = 4
        var assembler = BinaryAssembler(limits: limits)
        for _ in 0..<2 {
            _ = try begin(&assembler, twoAttachments)
            _ = try assembler.append([1, 2])
            #expect(try assembler.append([3, 4])?.attachments.count == 2)
        }
        _ = try begin(&assembler, twoAttachments)
        _ = try assembler.append([1, 2])
        #expect(throws: BinaryAssembler.Failure.attachmentsTooLarge) { try assembler.append([3, 4, 5]) }
        #expect(!assembler.isWaiting)
    }

    @Test func `reset forgets what was begun`() throws {
        var assembler = BinaryAssembler()
        _ = try begin(&assembler, twoAttachments)
        assembler.reset()
        #expect(!assembler.isWaiting)
        #expect(try begin(&assembler, twoAttachments) == nil)
    }
}
