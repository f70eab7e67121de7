import Testing
import Wire

/// Writes what was read, from the parts alone.
private func rewritten(_ parts: SocketParts, _ version: SocketVersion) -> String {
    var output: [UInt8] = []
    let payload = Array(parts.payload.utf8)
    let namespace = Array((parts.namespace ?? "").utf8)
    if let query = parts.query {
        // A query stands behind the name, so it is part of it for a writer that knows nothing of queries.
        let name = Array((parts.namespace ?? "/").utf8) + Array("?".utf8) + Array(query.utf8)
        SocketPacketWriter.appendHead(
            parts.type, attachments: parts.attachments, namespace: name, ackID: parts.ackID, to: &output)
    } else {
        SocketPacketWriter.appendHead(
            parts.type, attachments: parts.attachments, namespace: namespace, ackID: parts.ackID, to: &output)
    }
    return String(decoding: output + payload, as: UTF8.self)
}

struct SocketPacketRoundTripTests {
    @Test(arguments: SocketPacketHeadExamples.examples)
    func `the examples of the protocol are written as they stand there`(text: String, parts: SocketParts) {
        #expect(rewritten(parts, .v5) == text)
    }

    @Test(arguments: zip([SocketVersion.v4, .v5], [20_039, 19_905]))
    func `every short text is refused or means the same when written again`(version: SocketVersion, packets count: Int)
    {
        var accepted = 0
        forEachSequence(of: Array("0123456789-/,[]{}\"ab"), upTo: 3) { characters in
            accepted += check(String(characters), version)
        }
        // Behind a type that takes a payload, the interesting texts begin only here.
        for start in ["2[", "2/", "31", "51-", "2[\"", "0/", "4"] {
            forEachSequence(of: Array("1/,?[]{}\"\\ab"), upTo: 4) { accepted += check(start + String($0), version) }
        }
        #expect(accepted == count)
    }

    private func check(_ text: String, _ version: SocketVersion) -> Int {
        guard let parts = try? socketParts(text, version: version) else { return 0 }
        let again = rewritten(parts, version)
        if let second = try? socketParts(again, version: version), second == parts { return 1 }
        Issue.record("\(text) was read as \(parts) and written as \(again)")
        return 1
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `random events and acks survive the round trip`(seed: UInt64) throws {
        var random = PacketRandom(seed: seed)
        for _ in 0..<2_000 {
            let name = "e" + random.text(upTo: 12)
            let arguments = ["", "1", #""x""#, #"{"a":[1,"]"]}"#, "null,2"].randomElement(using: &random) ?? ""
            let attachments = Int.random(in: 0...10, using: &random)
            let namespace = ["", "/", "/admin", "/é-1"].randomElement(using: &random) ?? ""
            let id: UInt64? =
                Bool.random(using: &random) ? UInt64.random(in: 0...SocketLimits.ackIDMax, using: &random) : nil
            try checkEvent(name, arguments, attachments, namespace, id)
            try checkAck(arguments, attachments, namespace, id ?? 0)
        }
    }

    private func checkEvent(
        _ name: String, _ arguments: String, _ attachments: Int, _ namespace: String, _ id: UInt64?
    ) throws {
        var output: [UInt8] = []
        SocketPacketWriter.appendEvent(
            name, arguments: Array(arguments.utf8).span, attachments: attachments, namespace: Array(namespace.utf8),
            ackID: id, to: &output)
        let parts = try socketParts(String(decoding: output, as: UTF8.self))
        #expect(parts.type == (attachments > 0 ? .binaryEvent : .event))
        #expect(parts.attachments == attachments && parts.ackID == id)
        #expect(parts.namespace == (namespace.utf8.count > 1 ? namespace : nil))
        #expect(parts.eventName == name)
        #expect(parts.arguments == arguments)
    }

    private func checkAck(_ arguments: String, _ attachments: Int, _ namespace: String, _ id: UInt64) throws {
        var output: [UInt8] = []
        SocketPacketWriter.appendAck(
            id, arguments: Array(arguments.utf8).span, attachments: attachments, namespace: Array(namespace.utf8),
            to: &output)
        let parts = try socketParts(String(decoding: output, as: UTF8.self))
        #expect(parts.type == (attachments > 0 ? .binaryAck : .ack))
        #expect(parts.attachments == attachments && parts.ackID == id && parts.arguments == arguments)
    }

    @Test func `damaged packets never stop the decoder`() {
        var random = PacketRandom(seed: 0x0050_0001)
        let texts = SocketPacketHeadExamples.examples.map { Array($0.0.utf8) }
        for _ in 0..<20_000 {
            var text = texts.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            text.removeLast(Int.random(in: 0...min(3, text.count), using: &random))
            guard let head = try? SocketPacketHead.decode(text.span) else { continue }
            _ = try? SocketPlaceholder.find(in: text.span, payload: head.payload, attachments: head.attachments)
        }
    }
}
