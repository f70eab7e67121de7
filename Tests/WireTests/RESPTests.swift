import Testing

@testable import Wire

@Suite struct RESPTests {
    private func read(_ text: String, pieces: Int = .max, bulkBytesMax: Int = 64) throws -> [RESPValue] {
        var reader = RESPReader(bulkBytesMax: bulkBytesMax)
        var values: [RESPValue] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            rest.prefix(pieces).withUnsafeBytes { reader.append($0) }
            rest = rest.dropFirst(pieces)
            while let value = try reader.next() { values.append(value) }
        }
        return values
    }

    private static let stream =
        "+OK\r\n-NOAUTH no\r\n:12\r\n$5\r\na\r\nbc\r\n$-1\r\n*3\r\n$7\r\nmessage\r\n:-1\r\n*0\r\n*-1\r\n"
    private static let values: [RESPValue] = [
        .simple("OK"), .error("NOAUTH no"), .integer(12), .bulk(Array("a\r\nbc".utf8)), .bulk(nil),
        .array([.bulk(Array("message".utf8)), .integer(-1), .array([])]), .array(nil),
    ]

    @Test(arguments: [1, 2, 3, 7, .max]) func valuesAreReadHoweverTheyAreCut(pieces: Int) throws {
        #expect(try read(Self.stream, pieces: pieces) == Self.values)
    }

    @Test(arguments: [
        "hello\r\n", ":1x\r\n", "$2\r\nabc\r\n", "+a\rb\n", "$-2\r\n", "*-7\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
    ])
    func otherBytesAreRefused(text: String) {
        #expect(throws: RESPReader.Fault.malformed) { try read(text) }
    }

    @Test func valuesPastTheBoundsAreRefused() {
        #expect(throws: RESPReader.Fault.tooLong) { try read("$65\r\n") }
        #expect(throws: RESPReader.Fault.tooLong) { try read("*1025\r\n") }
        #expect(throws: RESPReader.Fault.tooLong) { try read("+" + String(repeating: "a", count: 1 << 17)) }
    }

    @Test func aCommandIsAnArrayOfBulkStrings() {
        var bytes: [UInt8] = []
        RESPCommand.append([Array("PUBLISH".utf8), Array("a".utf8), [0, 13, 10]], to: &bytes)
        #expect(bytes == Array("*3\r\n$7\r\nPUBLISH\r\n$1\r\na\r\n$3\r\n\0\r\n\r\n".utf8))
    }
}
