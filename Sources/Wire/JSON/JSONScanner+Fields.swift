extension JSONScanner {
    /// Moves over an object and notes where the members with the given keys are. Does not move if it is none.
    mutating func fields(_ keys: JSONKeys, _ text: RawSpan, depth: Int) throws(JSONError) -> JSONFields {
        guard peek(text) == JSONByte.leftBrace else { throw failure(text, .notAnObject) }
        let start = position
        var fields = JSONFields()
        position += 1
        skipSpace(text)
        if peek(text) == JSONByte.rightBrace {
            position += 1
        } else {
            try members(keys, text, depth: depth + 1, into: &fields)
        }
        fields.object = JSONField(.object, start..<position)
        return fields
    }

    private mutating func members(
        _ keys: JSONKeys, _ text: RawSpan, depth: Int, into fields: inout JSONFields
    ) throws(JSONError) {
        var expected = 0
        repeat {
            let key = try key(text)
            let value = try value(text, depth: depth)
            if let index = keys.index(of: key, in: text, startingAt: expected) {
                fields[index] = value
                expected = index + 1
            }
        } while try !isLast(text, closing: JSONByte.rightBrace)
    }
}
