import Wire

/// Names of things and people in addresses.
struct LibraryNames {
    static let handleLengths = 3...30
    private static let slugLengthMax = 80

    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    /// A random id. Later ids come later in the order of texts.
    ///
    /// - Parameter number: that of the change that makes it.
    static func newID(_ number: Int64) -> String {
        let digits = String(number, radix: 36)
        return "c" + String(repeating: "0", count: max(9 - digits.utf8.count, 0)) + digits + random(14)
    }

    private static func random(_ count: Int) -> String {
        let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        return String(decoding: (0..<count).map { _ in letters[Int.random(in: 0..<letters.count)] }, as: UTF8.self)
    }

    /// Letters and digits of ASCII, with a separator between others.
    static func plain(_ text: String, _ separator: UInt8, most: Int) -> String {
        var name: [UInt8] = []
        for byte in text.utf8 where name.count < most {
            let byte = ASCII.lowercased(byte)
            if ASCII.isDigit(byte) || byte &- UInt8(ascii: "a") < 26 {
                name.append(byte)
            } else if byte < 0x80, let last = name.last, last != separator {
                name.append(separator)
            }
        }
        if name.last == separator { name.removeLast() }
        return String(decoding: name, as: UTF8.self)
    }

    /// A free slug; nil for what has none.
    func slug(_ text: String?, of kind: LibraryItem.Kind) throws(StoreError) -> String? {
        guard kind == .story || kind == .chapter else { return nil }
        let plain = Self.plain(text ?? "", UInt8(ascii: "-"), most: Self.slugLengthMax)
        return try free(plain.isEmpty ? kind.rawValue : plain, UInt8(ascii: "-")) { name throws(StoreError) in
            try database.first(
                "SELECT 1 FROM library WHERE kind = $1 AND slug = $2", .text(kind.rawValue), .text(name)
            ) { _ in true } ?? false
        }
    }

    /// Makes a person known to the library.
    func introduce(_ actor: LibraryActor, at now: Int64) throws(StoreError) {
        let known = try database.first("SELECT 1 FROM authors WHERE person = $1", .text(actor.id)) { _ in true }
        guard known == nil else { return }
        let isPerson = try database.first("SELECT 1 FROM people WHERE id = $1", .text(actor.id)) { _ in true }
        guard isPerson != nil else { throw .notFound("user") }
        let plain = Self.plain(actor.name, UInt8(ascii: "_"), most: Self.handleLengths.upperBound - 7)
        let handle = try free(plain.count < Self.handleLengths.lowerBound ? "reader" : plain, UInt8(ascii: "_")) {
            name throws(StoreError) in
            try database.first("SELECT 1 FROM authors WHERE handle = $1", .text(name)) { _ in true } ?? false
        }
        try database.run(
            "INSERT INTO authors (person, handle, created_at) VALUES ($1, $2, $3)", .text(actor.id), .text(handle),
            .int(now))
    }

    /// The name itself, or with the first free number of a few, or with random letters.
    private func free(
        _ name: String, _ separator: UInt8, isTaken: (String) throws(StoreError) -> Bool
    ) throws(StoreError) -> String {
        guard try isTaken(name) else { return name }
        let separator = String(decoding: [separator], as: UTF8.self)
        for number in 2...9 {
            let other = "\(name)\(separator)\(number)"
            if try !isTaken(other) { return other }
        }
        while true {
            let other = "\(name)\(separator)\(Self.random(6))"
            if try !isTaken(other) { return other }
        }
    }
}
