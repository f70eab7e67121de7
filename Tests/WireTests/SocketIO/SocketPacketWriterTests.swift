import Testing
import Wire

struct SocketPacketWriterTests {
    private func written(_ body: (inout [UInt8]) -> Void) -> String {
        var output = Array("4".utf8)
        body(&output)
        return String(decoding: output.dropFirst(), as: UTF8.self)
    }

    private let admin = Array("/admin".utf8)
    private let none: [UInt8] = []

    @Test func `the answer to CONNECT tells the id in version 5 and nothing in version 4`() {
        #expect(written { SocketPacketWriter.appendConnected(sid: "abc", version: .v5, to: &$0) } == #"0{"sid":"abc"}"#)
        #expect(
            written { SocketPacketWriter.appendConnected(sid: "a", pid: "b", version: .v5, namespace: admin, to: &$0) }
                == #"0/admin,{"sid":"a","pid":"b"}"#)
        #expect(written { SocketPacketWriter.appendConnected(sid: "abc", version: .v4, to: &$0) } == "0")
        #expect(
            written { SocketPacketWriter.appendConnected(sid: "abc", version: .v4, namespace: admin, to: &$0) }
                == "0/admin,")
    }

    @Test func `a client's CONNECT carries an object or a query`() {
        let token = Array(#"{"token":"123"}"#.utf8)
        let query = Array("token=123".utf8)
        #expect(
            written {
                SocketPacketWriter.appendConnect(payload: token.span, version: .v5, namespace: admin, to: &$0)
            } == #"0/admin,{"token":"123"}"#)
        #expect(written { SocketPacketWriter.appendConnect(payload: none.span, version: .v5, to: &$0) } == "0")
        #expect(
            written {
                SocketPacketWriter.appendConnect(payload: query.span, version: .v4, namespace: admin, to: &$0)
            } == "0/admin?token=123,")
        #expect(
            written { SocketPacketWriter.appendConnect(payload: query.span, version: .v4, to: &$0) } == "0/?token=123,")
    }

    @Test func `a refusal is an object in version 5, the data or the message in version 4`() {
        let data = Array(#"{"code":"X"}"#.utf8)
        func refusal(_ data: [UInt8], _ version: SocketVersion) -> String {
            written {
                SocketPacketWriter.appendConnectError(
                    "Not \"authorized\"\n", data: data.span, version: version, to: &$0)
            }
        }
        #expect(refusal(none, .v5) == #"4{"message":"Not \"authorized\"\n"}"#)
        #expect(refusal(data, .v5) == #"4{"message":"Not \"authorized\"\n","data":{"code":"X"}}"#)
        #expect(refusal(none, .v4) == #"4"Not \"authorized\"\n""#)
        #expect(refusal(data, .v4) == #"4{"code":"X"}"#)
    }

    @Test func `DISCONNECT is its digit and its namespace`() {
        #expect(written { SocketPacketWriter.appendDisconnect(to: &$0) } == "1")
        #expect(written { SocketPacketWriter.appendDisconnect(namespace: admin, to: &$0) } == "1/admin,")
    }

    @Test func `control characters in names are escaped`() throws {
        let name = "\u{0}\u{1E}\u{1F}\t\"\\é"
        let text = written { SocketPacketWriter.appendEvent(name, arguments: none.span, to: &$0) }
        #expect(!text.utf8.contains { $0 < 0x20 })
        #expect(try socketParts(text).eventName == name)
    }
}
