import CPostgres

/// A database of PostgreSQL, as an operator names it: a URL of libpq (`postgresql://user@host:port/name?sslmode=…`).
package struct PostgresPlace: Sendable, Equatable {
    /// It may hold a password.
    let url: String
    /// In the form for messages, without the password.
    package let shown: String

    /// Why a text is not a place.
    package struct Fault: Error, Equatable {
        package let problem: String
    }

    package init(_ url: String) throws(Fault) {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
            throw Fault(problem: "is not a URL of PostgreSQL")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            // The words of libpq may repeat a part of the URL, which may be the password.
            throw Fault(problem: "is not a URL that libpq understands")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        // A password with such a character that is not escaped reads as another part of the URL, which would be shown.
        let ports = (values["port"] ?? "").split(separator: ",")
        let names = (values["dbname"] ?? "") + (values["user"] ?? "")
        let hosts = (values["host"] ?? "").split(separator: ",")
        guard ports.allSatisfy({ UInt16($0) != nil }), !names.contains(where: { "@:/".contains($0) }),
            hosts.allSatisfy({ !$0.contains("@") && ($0.hasPrefix("/") || !$0.contains("/")) })
        else { throw Fault(problem: "has a character that must be escaped, such as / as %2F and @ as %40") }
        self.url = url
        let host = values["host"] ?? values["hostaddr"] ?? "this machine"
        shown =
            "database \(values["dbname"] ?? values["user"] ?? "of the user") of PostgreSQL on \(host)"
            + (values["port"].map { ":\($0)" } ?? "")
    }

    /// The first line of a message of libpq, without a full stop. When libpq has tried several addresses, the first line of
    /// what it says of each.
    static func line(_ message: String) -> String {
        let lines = message.split(separator: "\n").map(String.init)
        let attempts = lines.filter { $0.hasPrefix("connection to server ") }
        let said = (attempts.isEmpty ? Array(lines.prefix(1)) : attempts).map {
            $0.hasSuffix(".") ? String($0.dropLast()) : $0
        }
        return said.isEmpty ? "no reason is given" : said.joined(separator: "; ")
    }
}
