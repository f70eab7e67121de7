import Transport
import Wire

/// What an operator's page asks of a server, or wants it to do. It is a value, so that one node can ask another.
package struct ConsoleQuestion: Sendable, Equatable {
    /// The last part of the path, such as `overview`.
    package let name: String
    /// Whether something is to be done.
    package let isDeed: Bool
    /// The address of the operator.
    package let asker: String
    private let texts: [String: String]
    private let numbers: [String: Int]

    package init(
        _ name: String, isDeed: Bool, asker: String, texts: [String: String] = [:], numbers: [String: Int] = [:]
    ) {
        self.name = name
        self.isDeed = isDeed
        self.asker = asker
        self.texts = texts
        self.numbers = numbers
    }

    /// Nil for a text that is missing or empty.
    package func text(_ field: String) -> String? {
        guard let text = texts[field], !text.isEmpty else { return nil }
        return text
    }

    package func number(_ field: String) -> Int? { numbers[field] ?? texts[field].flatMap { Int($0) } }
}

extension ConsoleQuestion {
    private static let fields = [
        "id", "person", "address", "kind", "subject", "minutes", "reason", "text", "sort", "limit", "after", "since",
    ]

    /// A question that only reads: its fields are in the query.
    init(reading name: String, _ exchange: HTTPExchange) {
        var texts: [String: String] = [:]
        for field in Self.fields { texts[field] = exchange.head.queryValue(field) }
        self.init(name, isDeed: false, asker: exchange.peer.text, texts: texts)
    }

    /// Something that is to be done: its fields are the members of a JSON object. Those of another type are left out.
    init(doing name: String, _ exchange: HTTPExchange, _ body: [UInt8]) {
        let object = try? JSONReader(body)
        var (texts, numbers): ([String: String], [String: Int]) = ([:], [:])
        for field in Self.fields {
            texts[field] = object?[field]?.string
            numbers[field] = object?[field]?.int
        }
        self.init(name, isDeed: true, asker: exchange.peer.text, texts: texts, numbers: numbers)
    }
}
