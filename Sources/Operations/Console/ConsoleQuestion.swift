import Transport
import Wire

/// What an operator's page asks of a server, or wants it to do. It is a value, so that one node can ask another.
package struct ConsoleQuestion: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        let name: String
        /// Of a text or a number; nil for what is neither.
        var text: String?
        var number: Int?
    }

    /// The last part of the path, such as `overview`.
    package let name: String
    /// Whether something is to be done.
    package let isDeed: Bool
    /// The address of the operator.
    package let asker: String
    let fields: [Field]

    init(_ name: String, isDeed: Bool, asker: String, _ fields: [Field] = []) {
        self.name = name
        self.isDeed = isDeed
        self.asker = asker
        self.fields = fields
    }

    /// Nil for a text that is missing or empty.
    package func text(_ field: String) -> String? {
        guard let text = fields.first(where: { $0.name == field })?.text, !text.isEmpty else { return nil }
        return text
    }

    package func number(_ field: String) -> Int? {
        let found = fields.first { $0.name == field }
        return found?.number ?? found?.text.flatMap { Int($0) }
    }

    /// Whom or what a deed is about, for the log.
    var subject: String {
        ["id", "person", "address", "text"].lazy.compactMap { name in self.text(name).map { "\(name) \($0)" } }.first
            ?? ""
    }
}

extension ConsoleQuestion {
    private static let names = [
        "id", "person", "address", "minutes", "reason", "text", "sort", "limit", "after", "since", "kept",
        "node",
    ]

    /// A question that only reads: its fields are in the query.
    init(reading name: String, _ exchange: HTTPExchange) {
        let fields = Self.names.compactMap { field in
            exchange.head.queryValue(field).map { Field(name: field, text: $0) }
        }
        self.init(name, isDeed: false, asker: exchange.peer.text, fields)
    }

    /// Something that is to be done: its fields are the members of a JSON object.
    init(doing name: String, _ exchange: HTTPExchange, _ body: [UInt8]) {
        let object = try? JSONReader(body)
        let fields = Self.names.compactMap { field in
            object?[field].map { Field(name: field, text: $0.string, number: $0.int) }
        }
        self.init(name, isDeed: true, asker: exchange.peer.text, fields)
    }
}
