import Testing
import Wire

@testable import Rooms

/// A home has told changes that are lost with it. The next one makes others, under versions that nobody has been told.
@Suite struct EraTests {
    private let contents: RoomContents
    private var lost: Stage
    private var next: Stage
    private let ada: ConnectionID
    private let bob: ConnectionID

    init() throws {
        var first = Stage()
        _ = try first.create(try first.join("ada"), id: "e", content: "\"ab\"")
        first.tick()
        contents = first.room.contents
        lost = Stage(contents: contents)
        var after = contents
        after.era = 1
        next = Stage(contents: after)
        ada = try lost.join("ada")
        _ = try next.join("ada")
        bob = try next.join("bob", form: .edits)
    }

    private func content(_ text: String) -> [[UInt8]?] {
        var values = [[UInt8]?](repeating: nil, count: Element.Field.allCases.count)
        values[Element.Field.content.rawValue] = Array("\"\(text)\"".utf8)
        return values
    }

    private func edit(_ version: Int, _ parts: [TextEdit.Part]) -> Room.Edit {
        Room.Edit(elementID: "e", version: version, changes: TextEdit(parts), clientID: "k")
    }

    private func refusal(_ change: () throws -> Void) -> String? {
        do { try change() } catch {
            guard let error = error as? RoomError, error.code == .conflict else { return nil }
            return String(decoding: error.details, as: UTF8.self)
        }
        return nil
    }

    @Test("A change that names a lost version is refused, whatever the next home has made since", arguments: 0..<4)
    func lostVersions(changes: Int) throws {
        var (lost, next) = (lost, next)
        var told = 0
        for text in ["lost", "again", "and again"] {
            told = try lost.room.update("e", content(text), version: nil, by: ada, at: lost.now).version
        }
        for number in 0..<changes {
            _ = try next.room.update("e", content("others \(number)"), version: nil, by: bob, at: next.now)
        }
        let author = try next.room.author(bob)
        for version in 2...told {
            #expect(refusal { _ = try next.room.delete("e", version: version, by: author) } != nil)
            for (exact, base) in [(version, nil), (nil, version)] as [(Int?, Int?)] {
                let refused = refusal {
                    _ = try next.room.update(
                        "e", content("x"), version: exact, baseVersion: base, by: author, at: next.now)
                }
                #expect(refused != nil)
            }
            let refused = refusal { _ = try next.room.edit(edit(version, [.keep(4)]), by: author, at: next.now) }
            #expect(refused?.hasSuffix(#","isMade":false}"#) == true)
        }
        #expect(next.room.elements["e"]?.text == [UInt16](changes == 0 ? "ab" : "others \(changes - 1)"))
    }

    @Test("The version that is stored is known to both homes: a change of it is merged")
    func storedVersion() throws {
        var next = next
        let author = try next.room.author(bob)
        _ = try next.room.update("e", content("abc"), version: 1, by: bob, at: next.now)
        let edited = try next.room.edit(edit(1, [.insert([UInt16]("z")), .keep(2)]), by: author, at: next.now)
        #expect(edited.element.text == [UInt16]("zabc") && !edited.isDirect)
        let merged = try next.room.update(
            "e", content("ab!"), version: nil, baseVersion: 1, by: author, at: next.now)
        #expect(merged.text.contains(UInt16(UInt8(ascii: "!"))) && merged.text.contains(UInt16(UInt8(ascii: "z"))))
    }

    @Test("The first change of an element in an era is told as a whole element, the next one as an edit")
    func toldWhole() throws {
        var next = next
        let author = try next.room.author(bob)
        next.tick()
        _ = next.texts(bob)
        let first = try next.room.edit(edit(1, [.keep(2), .insert([UInt16]("c"))]), by: author, at: next.now)
        #expect(first.element.version == 2 + Element.versionsLeftOut && first.isDirect)
        next.tick()
        #expect(next.summary(bob) == ["element:updated"])
        let second = Room.Edit(elementID: "e", version: first.element.version, changes: TextEdit([.keep(3)]))
        #expect(try next.room.edit(second, by: author, at: next.now).isDirect)
        next.tick()
        #expect(next.summary(bob) == ["element:edited"])
    }

    @Test("Each era has versions of its own, also when nothing of the eras before was stored")
    func manyEras() throws {
        var seen: Set<Int> = []
        for era in [0, 1, 2, 5] {
            var contents = contents
            contents.era = era
            var stage = Stage(contents: contents)
            let ada = try stage.join("ada")
            for _ in 0..<3 {
                let element = try stage.room.update("e", content("x"), version: nil, by: ada, at: stage.now)
                #expect(seen.insert(element.version).inserted)
            }
            #expect(try stage.room.delete("e", by: ada) == (seen.max() ?? 0) + 1)
        }
    }
}
