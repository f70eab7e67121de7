import Testing
import Wire

@Suite struct JSONItemsTests {
    @Test func itemsComeOneAfterTheOther() throws {
        let text = Array(#" [ "touch:move" , {"x":1} , [2], null,-0.5,true ] "#.utf8)
        #expect(try items(text) == [#""touch:move""#, #"{"x":1}"#, "[2]", "null", "-0.5", "true"])
    }

    @Test func anEmptyArrayHasNone() throws {
        #expect(try items(Array("[]".utf8)) == [])
        #expect(try items(Array(" [ ] ".utf8)) == [])
    }

    @Test func afterTheEndThereIsNothingAgainAndAgain() throws {
        let text = Array("[1]".utf8)
        var items = JSONItems()
        #expect(try items.next(in: text.span)?.int(in: text.span) == 1)
        #expect(try items.next(in: text.span) == nil)
        #expect(try items.next(in: text.span) == nil)
    }

    @Test func anItemIsReadAsAnObjectInTheSamePass() throws {
        let text = Array(#"["touch:move",{"roomId":"r","x":1.5}]"#.utf8)
        var items = JSONItems()
        #expect(try items.next(in: text.span)?.string(in: text.span) == "touch:move")
        let fields = try #require(try items.nextFields(JSONKeys("x", "roomId"), in: text.span))
        #expect(fields[0].double(in: text.span) == 1.5)
        #expect(fields[1].string(in: text.span) == "r")
        #expect(try items.nextFields(JSONKeys("x"), in: text.span) == nil)
    }

    @Test func anItemThatIsNoObjectCanStillBeHad() throws {
        let text = Array(#"["a",1]"#.utf8)
        var items = JSONItems()
        #expect(throws: JSONError(.notAnObject, at: 1)) { try items.nextFields(JSONKeys("x"), in: text.span) }
        #expect(try items.next(in: text.span)?.string(in: text.span) == "a")
        #expect(try items.next(in: text.span)?.int(in: text.span) == 1)
        #expect(try items.next(in: text.span) == nil)
    }

    @Test func arraysAreCheckedLikeAnyOtherValue() {
        for (text, _, _) in JSONGrammarTests.refused where text.hasPrefix("[") {
            #expect(throws: JSONError.self, "\(text)") { try items(Array(text.utf8)) }
        }
        for text in JSONGrammarTests.accepted where text.hasPrefix("[") {
            #expect(throws: Never.self, "\(text)") { try items(Array(text.utf8)) }
        }
        for text in JSONGrammarTests.accepted where !["[", " ", "\n", "\t"].contains(text.first) {
            #expect(throws: JSONError(.notAnArray, at: 0), "\(text)") { try items(Array(text.utf8)) }
        }
    }

    @Test func nothingMayFollowTheArray() {
        #expect(throws: JSONError(.trailingBytes, at: 4)) { try items(Array("[1] 2".utf8)) }
        #expect(throws: JSONError(.trailingBytes, at: 2)) { try items(Array("[]]".utf8)) }
    }

    @Test func aNestedArrayIsReadInItsRange() throws {
        let text = Array(#"{"a":[1,[2,3]],"b":0}"#.utf8)
        let field = try JSON.fields(JSONKeys("a"), of: text.span)[0]
        #expect(try items(text, range: field.range) == ["1", "[2,3]"])
    }

    @Test func nestingInItemsIsBoundedFromTheWholeText() {
        func text(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(throws: Never.self) { try items(text(64)) }
        #expect(throws: JSONError(.tooDeep, at: 64)) { try items(text(65)) }
        var shallow = JSONItems(limits: JSONLimits(depthMax: 1))
        #expect(throws: JSONError(.tooDeep, at: 1)) {
            try shallow.nextFields(JSONKeys("x"), in: Array("[{}]".utf8).span)
        }
    }

    private func items(_ text: [UInt8], range: Range<Int>? = nil) throws -> [String] {
        var items = JSONItems(range: range)
        var result: [String] = []
        while let item = try items.next(in: text.span) {
            result.append(String(decoding: text[item.range], as: UTF8.self))
        }
        return result
    }
}
