import CSimdjson
import Foundation
import Wire

extension Measurement.Contender {
    // MARK: - Wire

    /// What the server does with a touch: find the members, without reading the numbers.
    static func wireFields(_ text: [UInt8], _ keys: JSONKeys, limits: JSONLimits = .standard, note: String = "") -> Self
    {
        Self(name: "Wire, fields found\(note)") {
            guard let fields = try? JSON.fields(keys, of: text.span, limits: limits) else { return -1 }
            return Double(fields[0].range.upperBound + fields[1].range.upperBound)
        }
    }

    static func wireFieldsRead(_ text: [UInt8], _ keys: JSONKeys) -> Self {
        Self(name: "Wire, fields found and read") {
            guard let fields = try? JSON.fields(keys, of: text.span) else { return -1 }
            return sum(fields, keys, text)
        }
    }

    static func wireItems(_ text: [UInt8], _ keys: JSONKeys) -> Self {
        Self(name: "Wire, fields of the items found and read") {
            var items = JSONItems()
            var total = 0.0
            do {
                while let fields = try items.nextFields(keys, in: text.span) { total += sum(fields, keys, text) }
            } catch { return -1 }
            return total
        }
    }

    static func wireValidate(_ text: [UInt8], limits: JSONLimits = .standard, note: String = "") -> Self {
        Self(name: "Wire, checked only\(note)") {
            (try? JSON.validate(text.span, limits: limits)) == nil ? -1 : 1
        }
    }

    private static func sum(_ fields: JSONFields, _ keys: JSONKeys, _ text: [UInt8]) -> Double {
        var sum = 0.0
        for index in 0..<keys.count {
            let field = fields[index]
            sum += field.double(in: text.span) ?? 0
            // Without escapes the range is all that a reader needs.
            if field.hasEscapes { sum += Double(field.utf8(in: text.span)?.count ?? 0) } else { sum += 1 }
        }
        return abs(sum)
    }

    // MARK: - simdjson

    typealias SimdjsonCall = (OpaquePointer?, UnsafePointer<CChar>?, Int, simdjson_padding_mode) -> Double

    static func simdjson(_ name: String, _ text: [UInt8], _ keys: [StaticString], _ call: @escaping SimdjsonCall)
        -> [Self]
    {
        let padded = PaddedText(text)
        let parser = Parser(keys)
        return [
            Self(name: "simdjson \(name), text has padding") {
                abs(call(parser.pointer, padded.pointer, text.count, SIMDJSON_PADDED))
            },
            Self(name: "simdjson \(name), text copied") {
                abs(call(parser.pointer, padded.pointer, text.count, SIMDJSON_COPY))
            },
        ]
    }

    // MARK: - Many texts in turn

    static func wireFields(_ texts: [[UInt8]], _ keys: JSONKeys) -> Self {
        var index = 0
        return Self(name: "Wire, fields found") {
            index = (index + 1) & (texts.count - 1)
            let text = texts[index]
            guard let fields = try? JSON.fields(keys, of: text.span) else { return -1 }
            return Double(fields[0].range.upperBound + fields[1].range.upperBound)
        }
    }

    static func simdjson(
        _ name: String, _ texts: [[UInt8]], _ keys: [StaticString], _ mode: simdjson_padding_mode,
        _ call: @escaping SimdjsonCall
    ) -> Self {
        let padded = texts.map { PaddedText($0) }
        let parser = Parser(keys)
        var index = 0
        let how = mode == SIMDJSON_PADDED ? "text has padding" : "text copied"
        return Self(name: "simdjson \(name), \(how)") {
            index = (index + 1) & (padded.count - 1)
            return abs(call(parser.pointer, padded[index].pointer, texts[index].count, mode))
        }
    }

    // MARK: - Foundation

    static func serialization(_ text: [UInt8]) -> Self {
        let data = Data(text)
        return Self(name: "Foundation JSONSerialization") {
            (try? JSONSerialization.jsonObject(with: data)) == nil ? -1 : 1
        }
    }

    static func decoder<Value: Decodable>(_ text: [UInt8], _ type: Value.Type) -> Self {
        let data = Data(text)
        let decoder = JSONDecoder()
        return Self(name: "Foundation JSONDecoder") {
            (try? decoder.decode(type, from: data)) == nil ? -1 : 1
        }
    }
}

/// A copy of a text with the readable bytes behind it that simdjson wants.
final class PaddedText {
    let pointer: UnsafeMutablePointer<CChar>

    init(_ text: [UInt8]) {
        pointer = .allocate(capacity: text.count + simdjson_padding)
        pointer.initialize(repeating: 0, count: text.count + simdjson_padding)
        for (index, byte) in text.enumerated() { pointer[index] = CChar(bitPattern: byte) }
    }

    deinit { pointer.deallocate() }
}

final class Parser {
    let pointer: OpaquePointer?

    init(_ keys: [StaticString]) {
        let names = keys.map { strdup("\($0)") }
        defer { names.forEach { free($0) } }
        pointer = simdjson_parser_new(names.map { UnsafePointer($0) }, names.count)
    }

    deinit { simdjson_parser_free(pointer) }
}

struct Touch: Decodable {
    let roomId: String
    let x: Double
    let y: Double
    let elementId: String?
}

struct NewElement: Decodable {
    let roomId: String
    let type: String
    let positionX: Double
    let positionY: Double
    let width: Double
    let height: Double
    let content: String?
}

struct StoredElement: Decodable {
    let id: String
    let positionX: Double
    let positionY: Double
    let content: String
}
