import Testing

@testable import Wire

@Suite("Hexadecimal text")
struct HexTests {
    @Test("is two digits a byte, and reads as the same bytes in either case")
    func bothWays() {
        let bytes: [UInt8] = [0x00, 0x0f, 0xa0, 0xff]
        #expect(Hex.text(bytes) == "000fa0ff")
        #expect(Hex.bytes("000fa0ff") == bytes)
        #expect(Hex.bytes("000FA0FF") == bytes)
        #expect(Hex.bytes("") == [])
    }

    @Test("has no odd digit and no other letter", arguments: ["0", "000", "0g", "g0", "0x00", " 00", "é0"])
    func others(text: String) {
        #expect(Hex.bytes(text) == nil)
    }

    @Test("of a UUID has its version and variant, and takes any number of bytes")
    func uuid() {
        #expect(Hex.uuid([UInt8](repeating: 255, count: 16)) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(Hex.uuid([]) == "00000000-0000-4000-8000-000000000000")
        #expect(Hex.uuid(Array(0..<20)) == "00010203-0405-4607-8809-0a0b0c0d0e0f")
    }
}
