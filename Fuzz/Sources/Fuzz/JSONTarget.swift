import Wire

/// Promised: no input traps; what is accepted is valid UTF-8, reads the same by each of the ways of reading, and comes
/// back when it is written again; no true part from its beginning is accepted too.
func fuzzJSON(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let value: JSONField
    do throws(JSONError) {
        value = try JSON.validate(bytes.span)
    } catch {
        checkRefusal(of: bytes, error)
        return
    }
    precondition(Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes, "Accepted text is not UTF-8.")
    precondition((try? JSON.validate(bytes.span, limits: JSONLimits(encoding: .validUTF8))) == value)
    checkFields(of: bytes, value)
    checkItems(of: bytes, value)
    checkTruncated(bytes, value)
    guard let reader = try? JSONReader(bytes) else { preconditionFailure("The reader refuses what is valid.") }
    checkRewritten(reader)
}

private let keys = JSONKeys("a", "x", "roomId", "elementId", "positionX", "abcdefghijklmnopqrs", "")

private func checkRefusal(of bytes: [UInt8], _ error: JSONError) {
    precondition((0...bytes.count).contains(error.offset) && error.description.contains("\(error.offset)"))
    precondition((try? JSON.fields(keys, of: bytes.span)) == nil, "An object is accepted that is not JSON.")
    var items = JSONItems()
    do throws(JSONError) {
        while try items.next(in: bytes.span) != nil {}
        preconditionFailure("An array is accepted that is not JSON.")
    } catch {}
    precondition((try? JSONReader(bytes)) == nil)
}

private func checkFields(of bytes: [UInt8], _ value: JSONField) {
    do throws(JSONError) {
        let fields = try JSON.fields(keys, of: bytes.span)
        precondition(fields.object == value)
        for index in 0..<keys.count where !fields[index].isAbsent {
            let field = fields[index]
            precondition(
                value.range.contains(field.range.lowerBound) && value.range.contains(field.range.upperBound - 1))
            // A part of a text is judged like a whole one.
            precondition((try? JSON.validate(bytes.span, range: field.range)) == field)
        }
    } catch {
        precondition(error.kind == .notAnObject && value.kind != .object)
    }
}

private func checkItems(of bytes: [UInt8], _ value: JSONField) {
    var items = JSONItems()
    var end = value.range.lowerBound
    do throws(JSONError) {
        while let item = try items.next(in: bytes.span) {
            precondition(item.range.lowerBound > end && item.range.upperBound < value.range.upperBound)
            end = item.range.upperBound
        }
        precondition(value.kind == .array)
    } catch {
        precondition(error.kind == .notAnArray && value.kind != .array)
    }
}

/// Numbers alone may be cut short.
private func checkTruncated(_ bytes: [UInt8], _ value: JSONField) {
    guard value.kind != .number else { return }
    for end in value.range.upperBound - min(value.range.count, 64)..<value.range.upperBound {
        precondition((try? JSON.validate(bytes.span, range: 0..<end)) == nil, "Half a value is accepted.")
    }
}

/// Writes what the reader sees and reads it again.
private func checkRewritten(_ reader: JSONReader) {
    // Every level of the reader goes over its part anew.
    guard reader.json.count < 4096 else { return }
    var written: [UInt8] = []
    JSONWriter.write(into: &written) { write(reader, into: &$0) }
    guard let again = try? JSONReader(written) else { preconditionFailure("What is written is not valid.") }
    precondition(isSame(reader, again), "What is written reads differently.")
}

private func write(_ reader: JSONReader, into json: inout JSONWriter) {
    switch reader.kind {
    case .absent: preconditionFailure("There is a value.")
    case .null: json.null()
    case .bool: json.bool(reader.bool == true)
    case .number: json.double(checked(reader))
    case .string: json.string(reader.string ?? "-")
    case .array:
        json.beginArray()
        for item in reader.items ?? [] { write(item, into: &json) }
        json.endArray()
    case .object:
        json.beginObject()
        for member in reader.members ?? [] {
            json.key(member.key)
            write(member.value, into: &json)
        }
        json.endObject()
    }
}

private func checked(_ reader: JSONReader) -> Double {
    guard let value = reader.double, value.isFinite else { preconditionFailure("A number is not finite.") }
    let reference = Double(String(decoding: reader.json, as: UTF8.self))
    precondition(reference?.bitPattern == value.bitPattern, "A number is read differently.")
    if let integer = reader.int, integer.magnitude < 1 << 53 { precondition(Double(integer) == value) }
    return value
}

private func isSame(_ one: JSONReader, _ other: JSONReader) -> Bool {
    guard one.kind == other.kind else { return false }
    switch one.kind {
    case .absent, .null: return true
    case .bool: return one.bool == other.bool
    case .number: return one.double?.bitPattern == other.double?.bitPattern
    case .string: return one.string.map { Array($0.utf8) } == other.string.map { Array($0.utf8) }
    case .array:
        let (left, right) = (one.items ?? [], other.items ?? [])
        return left.count == right.count && zip(left, right).allSatisfy(isSame)
    case .object:
        let (left, right) = (one.members ?? [], other.members ?? [])
        return left.count == right.count
            && zip(left, right).allSatisfy { Array($0.key.utf8) == Array($1.key.utf8) && isSame($0.value, $1.value) }
    }
}
