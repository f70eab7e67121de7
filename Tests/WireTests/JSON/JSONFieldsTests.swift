import Testing
import Wire

@Suite struct JSONFieldsTests {
    let keys = JSONKeys("roomId", "x", "y", "elementId")

    @Test func membersAreFoundWhereTheyStand() throws {
        let text = Array(#"{"roomId":"r1","x":12.5,"y":3,"elementId":"e"}"#.utf8)
        let fields = try JSON.fields(keys, of: text.span)
        #expect(
            (0..<4).map { String(decoding: text[fields[$0].range], as: UTF8.self) } == [#""r1""#, "12.5", "3", #""e""#])
        #expect((0..<4).map { fields[$0].kind } == [.string, .number, .number, .string])
        #expect(String(decoding: text[fields[0].content], as: UTF8.self) == "r1")
        #expect(fields.object.range == 0..<text.count)
    }

    @Test func orderAndWhiteSpaceMakeNoDifference() throws {
        let text = Array(#" { "y" : 3 , "elementId" : null , "x":true, "roomId" : [ ] } "#.utf8)
        let fields = try JSON.fields(keys, of: text.span)
        #expect((0..<4).map { fields[$0].kind } == [.array, .bool, .number, .null])
        #expect(fields[2].int(in: text.span) == 3)
        #expect(text[fields[0].range].elementsEqual(Array("[ ]".utf8)))
    }

    @Test func missingMembersAreAbsentAndUnknownOnesIgnored() throws {
        let text = Array(#"{"x":1,"room":"r","elementIds":[{"y":2}],"":0,"roomIdentity":{}}"#.utf8)
        let fields = try JSON.fields(keys, of: text.span)
        #expect((0..<4).map { fields[$0].isAbsent } == [true, false, true, true])
        #expect(fields[1].double(in: text.span) == 1)
        #expect(fields[0].string(in: text.span) == nil)
    }

    @Test func ofMembersWithTheSameKeyTheLastCounts() throws {
        let text = Array(#"{"x":1,"x":2,"\u0078":3,"y":1}"#.utf8)
        let fields = try JSON.fields(keys, of: text.span)
        #expect(fields[1].int(in: text.span) == 3)
    }

    @Test(arguments: [#"room\u0049d"#, #"\u0072oomId"#, #"\u0072\u006f\u006F\u006d\u0049\u0064"#])
    func escapedKeysMatch(_ key: String) throws {
        let text = Array("{\"\(key)\":\"r\"}".utf8)
        #expect(try JSON.fields(keys, of: text.span)[0].string(in: text.span) == "r")
    }

    @Test func keysOfEveryLengthMatchOnlyThemselves() throws {
        let names: [StaticString] = [
            "", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno", "abcdefghijklmnop",
            "abcdefghijklmnopq", "abcdefghijklmnopqrstuvwxyzabcdef",
        ]
        let keys = JSONKeys(
            "", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno", "abcdefghijklmnop",
            "abcdefghijklmnopq",
            "abcdefghijklmnopqrstuvwxyzabcdef")
        for (index, name) in names.enumerated() {
            let text = Array("{\"\(name)\":1}".utf8)
            let fields = try JSON.fields(keys, of: text.span)
            #expect(names.indices.filter { !fields[$0].isAbsent } == [index], "\(name)")
            for ending in ["z", "\u{0}", "zzzzzzzz"] where !ending.contains("\u{0}") {
                let other = Array("{\"\(name)\(ending)\":1}".utf8)
                let fields = try JSON.fields(keys, of: other.span)
                #expect(names.indices.allSatisfy { fields[$0].isAbsent }, "\(name)\(ending)")
            }
        }
        let nearly = Array(#"{"abcdefghijklmnopqrstuvwxyzabcdeX":1,"abcdefghijklmnoX":1,"a\u0000":1}"#.utf8)
        let fields = try JSON.fields(keys, of: nearly.span)
        #expect(names.indices.allSatisfy { fields[$0].isAbsent })
    }

    @Test func namesOfEventsAreRecognised() throws {
        let events = JSONKeys("touch:move", "touch:end", "element:create")
        for (text, index) in [
            (#""touch:end""#, 1), (#""element:create""#, 2), (#""touch\u003amove""#, 0), (#""touch""#, nil), ("1", nil),
        ] as [(String, Int?)] {
            let bytes = Array(text.utf8)
            #expect(events.index(of: try JSON.validate(bytes.span), in: bytes.span) == index, "\(text)")
        }
    }

    @Test func whatIsNotAskedForIsCheckedJustTheSame() {
        for member in [#""a":01"#, #""a":"\x""#, #""a":[1,]"#, #""a":{"b"}"#, #""a":1e999"#, #""a":tru"#, #""a"#] {
            let text = Array("{\"x\":1,\(member),\"y\":2}".utf8)
            #expect(throws: JSONError.self, "\(member)") { try JSON.fields(keys, of: text.span) }
        }
        #expect(throws: JSONError(.trailingBytes, at: 3)) { try JSON.fields(keys, of: Array("{} {}".utf8).span) }
    }

    @Test func objectsAreCheckedLikeAnyOtherValue() {
        for (text, _, _) in JSONGrammarTests.refused where text.hasPrefix("{") {
            #expect(throws: JSONError.self, "\(text)") { try JSON.fields(keys, of: Array(text.utf8).span) }
        }
        for text in JSONGrammarTests.accepted where text.hasPrefix("{") {
            #expect(throws: Never.self, "\(text)") { try JSON.fields(keys, of: Array(text.utf8).span) }
        }
        for text in JSONGrammarTests.accepted where !text.hasPrefix("{") {
            #expect { try JSON.fields(keys, of: Array(text.utf8).span) } throws: {
                ($0 as? JSONError)?.kind == .notAnObject
            }
        }
    }

    @Test func aPartOfTheBytesIsReadWithPositionsInTheWhole() throws {
        let text = Array(#"42["touch:move",{"x":7}] rest"#.utf8)
        let range = 16..<23
        let fields = try JSON.fields(keys, of: text.span, range: range)
        #expect(fields[1].range == 21..<22)
        #expect(fields[1].int(in: text.span) == 7)
        #expect(throws: JSONError(.unexpectedEnd, at: 22)) { try JSON.validate(text.span, range: 16..<22) }
        #expect(throws: JSONError(.trailingBytes, at: 23)) { try JSON.validate(text.span, range: 16..<24) }
    }

    @Test func nestingInMembersIsBoundedFromTheWholeText() {
        func text(_ depth: Int) -> [UInt8] {
            Array("{\"x\":\(String(repeating: "[", count: depth - 1))\(String(repeating: "]", count: depth - 1))}".utf8)
        }
        #expect(throws: Never.self) { try JSON.fields(keys, of: text(64).span) }
        #expect(throws: JSONError(.tooDeep, at: 5 + 63)) { try JSON.fields(keys, of: text(65).span) }
    }
}
