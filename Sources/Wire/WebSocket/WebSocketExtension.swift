/// One element of a `Sec-WebSocket-Extensions` header (RFC 6455, 9.1).
struct WebSocketExtension: Equatable {
    struct Parameter: Equatable {
        let name: String
        let value: String?
    }

    let name: String
    var parameters: [Parameter] = []

    /// Further elements are left out. An element with more parameters counts as malformed.
    static let elementsMax = 16
    static let parametersMax = 16

    /// The elements in order, nil for each that is malformed.
    static func parse(_ header: String) -> [WebSocketExtension?] {
        var scanner = Scanner(bytes: Array(header.utf8))
        var elements: [WebSocketExtension?] = []
        while elements.count < elementsMax {
            scanner.skipSeparators()
            if scanner.isAtEnd { break }
            let element = scanner.element()
            if element == nil { scanner.skipElement() }
            elements.append(element)
        }
        return elements
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        var isAtEnd: Bool { index >= bytes.count }
        private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

        /// Empty list elements are allowed and mean nothing.
        mutating func skipSeparators() {
            while let byte = current, isBlank(byte) || byte == UInt8(ascii: ",") { index += 1 }
        }

        /// From inside a malformed element to behind the comma that ends it. A comma in quotes does not.
        mutating func skipElement() {
            var isQuoted = false
            while let byte = current {
                index += 1
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == UInt8(ascii: "\\") && isQuoted { index += 1 }
                if byte == UInt8(ascii: ",") && !isQuoted { return }
            }
        }

        mutating func element() -> WebSocketExtension? {
            guard let name = token() else { return nil }
            var element = WebSocketExtension(name: name)
            while true {
                skipBlanks()
                guard let byte = current else { return element }
                if byte == UInt8(ascii: ",") { return element }
                guard byte == UInt8(ascii: ";"), element.parameters.count < parametersMax else { return nil }
                index += 1
                skipBlanks()
                guard let parameter = parameter() else { return nil }
                element.parameters.append(parameter)
            }
        }

        private mutating func parameter() -> Parameter? {
            guard let name = token() else { return nil }
            skipBlanks()
            guard current == UInt8(ascii: "=") else { return Parameter(name: name, value: nil) }
            index += 1
            skipBlanks()
            let value = current == UInt8(ascii: "\"") ? quotedToken() : token()
            guard let value else { return nil }
            return Parameter(name: name, value: value)
        }

        private mutating func token() -> String? {
            let start = index
            while let byte = current, isTokenByte(byte) { index += 1 }
            return start == index ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
        }

        /// A value in quotes must be a token once the quotes and backslashes are gone.
        private mutating func quotedToken() -> String? {
            let start = index
            index += 1
            var value: [UInt8] = []
            while let byte = current, byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\") { index += 1 }
                guard let byte = current, isTokenByte(byte) else { break }
                value.append(byte)
                index += 1
            }
            guard current == UInt8(ascii: "\""), !value.isEmpty else {
                // Back to the opening quote, so that the rest is skipped with the quotes in mind.
                index = start
                return nil
            }
            index += 1
            return String(decoding: value, as: UTF8.self)
        }

        private mutating func skipBlanks() {
            while let byte = current, isBlank(byte) { index += 1 }
        }

        private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        private func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default:
                "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }
}
