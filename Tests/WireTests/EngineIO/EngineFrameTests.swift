import Testing
import Wire

struct EngineFrameTests {
    typealias Read = (type: EnginePacketType, coding: EngineFrame.Coding, data: [UInt8])

    private func read(_ text: String, _ version: EngineVersion) throws -> Read {
        let bytes = Array(text.utf8)
        let frame = try EngineFrame.decode(text: bytes.span, version: version)
        return (frame.type, frame.coding, Array(bytes[frame.data]))
    }

    private func read(_ bytes: [UInt8], _ version: EngineVersion) throws -> Read {
        let frame = try EngineFrame.decode(binary: bytes.span, version: version)
        return (frame.type, frame.coding, Array(bytes[frame.data]))
    }

    @Test(arguments: EnginePacketType.allCases)
    func `every type is read from its digit, with and without data, in both versions`(type: EnginePacketType) throws {
        for version in [EngineVersion.v3, .v4] {
            let bare = try read("\(type.rawValue)", version)
            #expect(bare == (type, .text, []))
            let full = try read("\(type.rawValue)probe €", version)
            #expect(full == (type, .text, Array("probe €".utf8)))
        }
    }

    @Test func `a binary message is all data in version 4, even an empty one`() throws {
        let some = try read([4, 1, 2], .v4)
        #expect(some == (.message, .binary, [4, 1, 2]))
        let none = try read([], .v4)
        #expect(none == (.message, .binary, []))
        #expect(EngineFrame.binaryPrefix(version: .v4) == nil)
    }

    @Test func `a binary message begins with its type in version 3`() throws {
        let prefix = try #require(EngineFrame.binaryPrefix(version: .v3))
        let packet = try read([prefix, 1, 2], .v3)
        #expect(packet == (.message, .binary, [1, 2]))
    }

    @Test func `base64 in a text message is binary data, behind the type in version 3`() throws {
        for (version, text) in [(EngineVersion.v4, "bAQIDBA=="), (.v3, "b4AQIDBA==")] {
            let packet = try read(text, version)
            #expect(packet == (.message, .base64, Array("AQIDBA==".utf8)))
            var written: [UInt8] = []
            EngineFrame.appendBase64([1, 2, 3, 4].span, version: version, to: &written)
            #expect(written == Array(text.utf8))
        }
    }

    @Test(arguments: ["7", "9", "/", ":::", "abc", "B4", " 4", "\u{4}", "é"])
    func `text without a type is refused`(text: String) {
        for version in [EngineVersion.v3, .v4] {
            #expect(throws: EngineFrame.Failure.unknownType) { try read(text, version) }
        }
    }

    @Test func `nothing is no packet`() {
        #expect(throws: EngineFrame.Failure.empty) { try read("", .v4) }
        #expect(throws: EngineFrame.Failure.empty) { try read("", .v3) }
        #expect(throws: EngineFrame.Failure.empty) { try read([], .v3) }
        #expect(throws: EngineFrame.Failure.empty) { try read("b", .v3) }
    }

    @Test func `only messages are binary in version 3`() {
        #expect(throws: EngineFrame.Failure.binaryNotMessage) { try read([2, 1], .v3) }
        #expect(throws: EngineFrame.Failure.binaryNotMessage) { try read("b2AQ==", .v3) }
        #expect(throws: EngineFrame.Failure.unknownType) { try read([0x34], .v3) }
        #expect(throws: EngineFrame.Failure.unknownType) { try read("b8AQ==", .v3) }
    }
}

struct EngineHandshakeTests {
    private let handshake = EngineHandshake(
        sid: "lv_VI97HAXpY6yYWAAAC", offersWebSocket: true, pingIntervalMilliseconds: 25000,
        pingTimeoutMilliseconds: 20000, maxPayload: 1_000_000)

    private func written(_ handshake: EngineHandshake, _ version: EngineVersion) -> String {
        var bytes: [UInt8] = []
        handshake.append(version: version, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `the open packet has the keys of the protocol in its order`() {
        #expect(
            written(handshake, .v4)
                == #"{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":["websocket"],"pingInterval":25000,"#
                + #""pingTimeout":20000,"maxPayload":1000000}"#)
    }

    @Test func `version 3 is not told the largest payload`() {
        var handshake = handshake
        handshake.offersWebSocket = false
        #expect(
            written(handshake, .v3)
                == #"{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
    }
}
