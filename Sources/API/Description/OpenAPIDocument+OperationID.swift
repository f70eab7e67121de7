import Wire

extension OpenAPIDocument {
    /// The name of a row for programs that are made from the description: `getRoomsByIdElements`. It follows from the method and the
    /// path alone, so no other row changes it, and it is the same with and without the prefix.
    func operationID<Group>(of route: Route<Group>) -> String {
        let parts = route.pattern.parts.dropFirst(prefix.split(separator: "/").count)
        return parts.reduce(into: route.method.name.lowercased()) { name, part in
            switch part {
            // All paths of the first version have them.
            case .literal("api"), .literal("v1"): break
            case .literal(let word): name += Self.capitalized(word)
            case .parameter(let word): name += "By" + Self.capitalized(word)
            }
        }
    }

    private static func capitalized(_ words: String) -> String {
        words.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
