import Foundation
import Testing
import Wire

@Suite("Binary ticks")
struct TickTests {
    struct Vectors: Decodable {
        let decode: [Case]
        let views: [Case]
        let refuse: [Refusal]
    }

    struct Case: Decodable, CustomTestStringConvertible {
        let name: String
        let ticks: [Tick]
        var testDescription: String { name }
    }

    struct Tick: Decodable {
        let hex: String
        let tick: UInt64
        let interval: Int
        let decimals: Int
        let absolute: Bool
        let view: Bool?
        let touches: [Row]
        let left: [Row]?
    }

    /// `[slot, x, y]` or `[slot, x, y, elementId]`.
    struct Row: Decodable, Equatable {
        let slot: Int
        let x: Double
        let y: Double
        let elementID: String?

        init(from decoder: any Decoder) throws {
            var items = try decoder.unkeyedContainer()
            slot = try items.decode(Int.self)
            x = try items.decode(Double.self)
            y = try items.decode(Double.self)
            elementID = items.isAtEnd ? nil : try items.decode(String.self)
        }

        init(_ touch: TickDecoder.Touch) throws {
            (slot, x, y) = (touch.slot, touch.x, touch.y)
            elementID = try touch.elementID.map { try JSON.validate($0.span).string(in: $0.span) ?? "no string" }
        }
    }

    struct Refusal: Decodable, CustomTestStringConvertible {
        let name: String
        let hex: String
        var testDescription: String { name }
    }

    private static let vectors: Vectors = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("../../../docs/protocol/binary-ticks.json")
        guard let data = try? Data(contentsOf: file), let vectors = try? JSONDecoder().decode(Vectors.self, from: data)
        else { return Vectors(decode: [], views: [], refuse: []) }
        return vectors
    }()

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap(ASCII.hexValue)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test("There are vectors")
    func vectorsExist() {
        let vectors = Self.vectors
        #expect(vectors.decode.count == 9 && vectors.views.count == 4 && vectors.refuse.count == 14)
    }

    @Test("The vectors are read as they say, and written as they are", arguments: vectors.decode + vectors.views)
    func decodes(_ vector: Case) throws {
        var decoder = TickDecoder()
        for tick in vector.ticks {
            let bytes = Self.bytes(tick.hex)
            var touches: [TickDecoder.Touch] = []
            let header = try decoder.decode(bytes.span) { touches.append($0) }
            #expect(
                header
                    == TickHeader(
                        decimals: tick.decimals, isAbsolute: tick.absolute, tick: tick.tick, interval: tick.interval,
                        isOfView: tick.view ?? false))
            #expect(try touches.filter { !$0.leaves }.map(Row.init) == tick.touches)
            #expect(try touches.filter(\.leaves).map(Row.init) == tick.left ?? [])
            #expect(try Self.rewritten(bytes) == bytes)
        }
    }

    private static func rewritten(_ bytes: [UInt8]) throws -> [UInt8] {
        var reader = try TickReader(bytes.span)
        var rows: [TickRow] = []
        while let row = try reader.next(in: bytes.span) { rows.append(row) }
        var again: [UInt8] = []
        TickWriter.append(reader.header, rows, to: &again)
        return again
    }

    @Test("What is no tick is refused", arguments: vectors.refuse)
    func refuses(_ vector: Refusal) {
        let bytes = Self.bytes(vector.hex)
        var decoder = TickDecoder()
        #expect(throws: TickFault.self) { _ = try decoder.decode(bytes.span) { _ in } }
    }

    @Test("No slot and no index is past the bound")
    func bounds() throws {
        for slot in [TickReader.slotsMax - 1, TickReader.slotsMax] {
            var bytes: [UInt8] = []
            let header = TickHeader(decimals: 0, isAbsolute: true, tick: 1, interval: 1)
            TickWriter.append(header, [TickRow(slot: slot, x: 1, y: 1)], to: &bytes)
            var reader = try TickReader(bytes.span)
            let isWithin = slot < TickReader.slotsMax
            #expect((try? reader.next(in: bytes.span) != nil) ?? false == isWithin)
            var row = TickRow(slot: 0, x: 1, y: 1)
            row.element = .new(slot, Array("\"e\"".utf8))
            bytes = []
            TickWriter.append(header, [row], to: &bytes)
            reader = try TickReader(bytes.span)
            #expect((try? reader.next(in: bytes.span) != nil) ?? false == isWithin)
        }
    }

    @Test(
        "Coordinates are rounded to the nearest quantum, halves away from zero",
        arguments: [
            ("0", 0, 0), ("1", 3, 1_000), ("-1", 3, -1_000), ("12.3456", 3, 12_346), ("12.3454", 3, 12_345),
            ("0.5", 0, 1), ("-0.5", 0, -1), ("0.49999999999999999999", 0, 0), ("2.5", 0, 3), ("1e3", 2, 100_000),
            ("1.25E+2", 1, 1_250), ("125e-2", 1, 13), ("5e-5", 4, 1), ("4e-5", 4, 0), ("1e-999999999999", 4, 0),
            ("0e999999999999", 4, 0), ("-0.0", 4, 0), ("0.00049", 3, 0), ("999999999999999", 0, 999_999_999_999_999),
            ("99999999999.9999", 4, 999_999_999_999_999), ("000.1", 1, 1),
        ])
    func quanta(_ text: String, _ decimals: Int, _ count: Int) {
        #expect(TouchQuanta.count(Array(text.utf8).span, decimals: decimals) == count)
    }

    @Test(
        "Coordinates of more than fifteen digits have no quanta",
        arguments: [
            ("1e15", 0), ("999999999999999.5", 0), ("1000000000000", 3), ("1e308", 0), ("1e999999999999", 0),
            ("123456789012345678901234567890", 0), ("-1e12", 3),
        ])
    func tooLarge(_ text: String, _ decimals: Int) {
        #expect(TouchQuanta.count(Array(text.utf8).span, decimals: decimals) == nil)
    }
}
