/// JSON's grammar written down as plainly as can be, to hold against the scanner. Recursive and slow.
struct ReferenceValidator {
    private let bytes: [UInt8]
    private var position = 0

    static func accepts(_ bytes: [UInt8]) -> Bool {
        // As to encodings it trusts the standard library, which repairs what is wrong.
        guard Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes else { return false }
        var validator = ReferenceValidator(bytes)
        validator.space()
        guard validator.value(depth: 0) else { return false }
        validator.space()
        return validator.position == bytes.count
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: Character? {
        position < bytes.count ? Character(Unicode.Scalar(bytes[position])) : nil
    }

    private mutating func take(_ characters: String) -> Bool {
        guard let next, characters.contains(next) else { return false }
        position += 1
        return true
    }

    private mutating func space() {
        // A carriage return and a line feed are one character in a string, so one set for each.
        while take(" \t") || take("\n") || take("\r") {}
    }

    private mutating func value(depth: Int) -> Bool {
        switch next {
        case "{": depth < 64 && container("}", depth: depth, hasKeys: true)
        case "[": depth < 64 && container("]", depth: depth, hasKeys: false)
        case "\"": string()
        case "t": word("true")
        case "f": word("false")
        case "n": word("null")
        default: number()
        }
    }

    private mutating func container(_ end: String, depth: Int, hasKeys: Bool) -> Bool {
        position += 1
        space()
        if take(end) { return true }
        repeat {
            space()
            if hasKeys {
                guard next == "\"", string() else { return false }
                space()
                guard take(":") else { return false }
                space()
            }
            guard value(depth: depth + 1) else { return false }
            space()
        } while take(",")
        return take(end)
    }

    private mutating func word(_ word: String) -> Bool {
        word.allSatisfy { take(String($0)) }
    }

    private mutating func string() -> Bool {
        position += 1
        while position < bytes.count {
            if take("\"") { return true }
            if take("\\") {
                if take("u") {
                    guard let unit = hexadecimal(), !(0xdc00...0xdfff ~= unit) else { return false }
                    if 0xd800...0xdbff ~= unit {
                        guard take("\\"), take("u"), let low = hexadecimal(), 0xdc00...0xdfff ~= low else {
                            return false
                        }
                    }
                } else if !take("\"\\/bfnrt") {
                    return false
                }
            } else if bytes[position] < 0x20 {
                return false
            } else {
                position += 1
            }
        }
        return false
    }

    private mutating func hexadecimal() -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }) else { return nil }
        position += 4
        return Int(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func number() -> Bool {
        let start = position
        _ = take("-")
        if !take("0") {
            guard take("123456789") else { return false }
            while take("0123456789") {}
        }
        if take(".") {
            guard take("0123456789") else { return false }
            while take("0123456789") {}
        }
        if take("eE") {
            _ = take("+-")
            guard take("0123456789") else { return false }
            while take("0123456789") {}
        }
        return Double(String(decoding: bytes[start..<position], as: UTF8.self))?.isFinite ?? false
    }
}
