/// A header value of the form `value; name=token; name="quoted"` (RFC 9110, section 5.6.6), taken apart.
public struct HeaderParameters: Equatable, Sendable {
    /// What stands before the first semicolon, in lower case.
    public let value: String
    /// Names in lower case, in their order.
    public let parameters: [Parameter]

    public struct Parameter: Equatable, Sendable {
        public let name: String
        public let value: String
    }

    /// Well-meaning clients send no header with more of them.
    private static let parametersMax = 16

    /// Nil when the text does not have this form, names a parameter twice, or is not UTF-8.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        var reader = Reader(bytes: bytes)
        guard let value = reader.value() else { return nil }
        var parameters: [Parameter] = []
        while !reader.isAtEnd {
            guard let parameter = reader.parameter(), parameters.count < Self.parametersMax else { return nil }
            guard !parameters.contains(where: { $0.name == parameter.name }) else { return nil }
            parameters.append(parameter)
        }
        self.value = value
        self.parameters = parameters
    }

    public subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == bytes.count }

        mutating func value() -> String? {
            let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
            let range = ASCII.trimmed(bytes.span, 0..<end)
            index = end
            return range.isEmpty ? nil : lowercased(range)
        }

        /// Stands at a semicolon; leaves the reader at the next one or at the end.
        mutating func parameter() -> Parameter? {
            index += 1
            skipBlanks()
            let start = index
            while index < bytes.count, HTTPSyntax.isToken(bytes[index]) { index += 1 }
            guard index > start, index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return nil }
            let name = lowercased(start..<index)
            index += 1
            let isQuoted = index < bytes.count && bytes[index] == UInt8(ascii: "\"")
            guard let value = isQuoted ? quoted() : token() else { return nil }
            skipBlanks()
            guard isAtEnd || bytes[index] == UInt8(ascii: ";") else { return nil }
            return Parameter(name: name, value: value)
        }

        private mutating func token() -> String? {
            let start = index
            while index < bytes.count, HTTPSyntax.isToken(bytes[index]) { index += 1 }
            return index > start ? String(validating: bytes[start..<index], as: UTF8.self) : nil
        }

        /// A backslash escapes a quotation mark and itself; before anything else it stands for itself, as in the paths
        /// that some clients send as a file's name.
        private mutating func quoted() -> String? {
            var text: [UInt8] = []
            index += 1
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
                if byte == UInt8(ascii: "\\"), index < bytes.count, isEscapable(bytes[index]) {
                    text.append(bytes[index])
                    index += 1
                } else {
                    text.append(byte)
                }
            }
            return nil
        }

        private func isEscapable(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        }

        private mutating func skipBlanks() {
            while index < bytes.count, ASCII.isBlank(bytes[index]) { index += 1 }
        }

        private func lowercased(_ range: Range<Int>) -> String {
            String(decoding: bytes[range].map(ASCII.lowercased), as: UTF8.self)
        }
    }
}
