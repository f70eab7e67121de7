extension JSONScanner {
    /// The object that starts here, and where in it the members with the given keys are.
    func fields(
        _ keys: JSONKeys, _ text: RawSpan, at start: Int, depth: Int
    ) throws(JSONError) -> JSONFields {
        guard text.byte(at: start) == JSONByte.leftBrace else { throw failure(text, at: start, .notAnObject) }
        guard depth < depthMax else { throw JSONError(.tooDeep, at: start) }
        var fields = JSONFields()
        var position = space(text, from: start &+ 1)
        if text.byte(at: position) == JSONByte.rightBrace {
            position += 1
        } else {
            position = try members(keys, text, at: position, depth: depth &+ 1, into: &fields)
        }
        fields.object = JSONField(.object, start..<position)
        return fields
    }

    /// - Returns: the position after the closing bracket.
    @inline(__always)
    private func members(
        _ keys: JSONKeys, _ text: RawSpan, at start: Int, depth: Int, into fields: inout JSONFields
    ) throws(JSONError) -> Int {
        var next = (position: start, isEnd: false)
        var expected = 0
        repeat {
            // Members mostly come in the order of the keys, all of them. Comparing with the expected key costs less than
            // to find the end of a string, and how far it goes does not depend on the bytes: the processor reads ahead.
            var index: Int? = expected
            var position = keys.end(ofNameAt: expected, in: text, at: next.position)
            if position == nil {
                let key = try key(text, at: next.position)
                index = keys.index(of: key, in: text)
                position = key.end
            }
            let value = try value(text, at: afterKey(text, at: position ?? 0), depth: depth)
            if let index {
                fields[index] = value
                expected = index &+ 1
            }
            next = try afterValue(text, at: value.end, closing: JSONByte.rightBrace)
        } while !next.isEnd
        return next.position
    }
}
