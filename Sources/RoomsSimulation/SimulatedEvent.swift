import Rooms
import Wire

/// What the simulation reads from an event's text, by looking for it: the checks must be quick.
enum SimulatedEvent {
    static func begins(_ text: [UInt8], _ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard text.count >= count else { return false }
        return text.withUnsafeBufferPointer { text in
            prefix.withUTF8Buffer { prefix in
                for index in 0..<count where text[index] != prefix[index] { return false }
                return true
            }
        }
    }

    /// Where the value of a member starts; the key with its quotation marks and colon.
    private static func start(_ key: StaticString, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        key.withUTF8Buffer { key in
            var position = 0
            let last = text.count - key.count
            outer: while position <= last {
                if text[position] == key[0] {
                    var offset = 1
                    while offset < key.count {
                        if text[position + offset] != key[offset] {
                            position += 1
                            continue outer
                        }
                        offset += 1
                    }
                    return position + key.count
                }
                position += 1
            }
            return nil
        }
    }

    /// The number in `"roomId":"r7"`.
    static func room(_ text: [UInt8]) -> Int? { number(#""roomId":"r"#, text) }
    /// The number in `"touch:tick","r7"`.
    static func tickedRoom(_ text: [UInt8]) -> Int? { number(#""touch:tick","r"#, text) }
    /// The number in `"userId":"p7"`.
    static func person(_ text: [UInt8]) -> Int? { number(#""userId":"p"#, text) }
    static func isEnd(_ text: [UInt8], of person: Int) -> Bool {
        begins(text, "2[\"touch:ended\"") && self.person(text) == person
    }

    static func position(_ text: [UInt8]) -> ModelClient.Position? {
        guard let x = number(#""x":"#, text), let y = number(#""y":"#, text) else { return nil }
        return ModelClient.Position(x: x, y: y)
    }

    private static func number(_ key: StaticString, _ text: [UInt8]) -> Int? {
        text.withUnsafeBufferPointer { text in
            guard var position = start(key, in: text) else { return nil }
            var value = 0
            let begin = position
            while position < text.count, text[position] >= 0x30, text[position] <= 0x39 {
                value = value * 10 + Int(text[position] - 0x30)
                position += 1
            }
            return position > begin ? value : nil
        }
    }

    /// Takes the offset out of an event, which stands behind its argument.
    static func takeOffset(_ text: inout [UInt8]) -> LogOffset? {
        guard text.last == UInt8(ascii: "]"), text.count > 4, text[text.count - 2] == UInt8(ascii: "\""),
            let begin = text.dropLast(2).lastIndex(of: UInt8(ascii: "\"")), text[begin - 1] == UInt8(ascii: ",")
        else { return nil }
        let offset = LogOffset(String(decoding: text[(begin + 1)...].dropLast(2), as: UTF8.self))
        text.replaceSubrange((begin - 1)..., with: [UInt8(ascii: "]")])
        return offset
    }

    /// The event's single argument; nil when the text is not an event of valid JSON.
    static func argument(_ text: [UInt8]) -> (name: String, argument: JSONReader)? {
        guard text.first == UInt8(ascii: "2"), let event = try? JSONReader(Array(text[1...])), let items = event.items,
            items.count == 2, let name = items[0].string
        else { return nil }
        return (name, items[1])
    }
}
