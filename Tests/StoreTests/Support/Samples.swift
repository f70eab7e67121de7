import Rooms

@testable import Store

/// An element with a place and little else.
func sampleElement(
    _ id: String, kind: Element.Kind = .note, content: String = "hello", version: Int = 1, updatedAt: Int64? = nil,
    era: Int = 0
) -> Element {
    var values = Element.noValues
    for field in Element.Field.allCases where field.isRequired { values[field.rawValue] = Array("1.50".utf8) }
    values[Element.Field.content.rawValue] = Array("\"\(content)\"".utf8)
    return Element(
        stored: id, kind: kind, createdBy: Array("\"ann\"".utf8), createdAt: 100, values: values, version: version,
        updatedAt: updatedAt, updatedBy: updatedAt == nil ? [] : Array("\"bob\"".utf8), era: era)
}

/// Entries of a log, numbered by themselves.
struct SampleLog {
    var seq: UInt64 = 0
    var at: Int64 = 1_000_000

    mutating func entry(
        _ kind: String = "user:joined", _ json: String = "{}", _ effect: LogRecord.Effect = .none, media: [String] = []
    ) -> JournalEntry {
        seq += 1
        return JournalEntry(seq: seq, kind: kind, json: Array(json.utf8), at: at, effect: effect, media: media)
    }

    mutating func created(
        _ id: String, kind: Element.Kind = .note, content: String = "hello", creation: String? = nil,
        media: [String] = []
    ) -> JournalEntry {
        entry(
            "element:created", #"{"id":"\#(id)"}"#,
            .created(sampleElement(id, kind: kind, content: content), creation: creation), media: media)
    }

    mutating func updated(_ id: String, content: String, version: Int, media: [String] = []) -> JournalEntry {
        let element = sampleElement(
            id, kind: media.isEmpty ? .note : .photo, content: content, version: version, updatedAt: at)
        return entry("element:updated", #"{"id":"\#(id)"}"#, .updated(element), media: media)
    }

    mutating func deleted(_ id: String, version: Int = 2) -> JournalEntry {
        entry("element:deleted", #"{"id":"\#(id)"}"#, .deleted(id: id, version: version))
    }
}

extension ServerStore {
    @discardableResult
    func appended(_ entries: [JournalEntry], to room: String = "r") async throws -> UInt64 {
        try await told { append(entries, to: room, then: $0) }
    }

    func loaded(_ room: String = "r") async throws -> StoredRoom? {
        try await told { load(room, then: $0) }
    }

    /// People with complete profiles; the username is the id.
    func people(_ ids: String...) async throws {
        for id in ids {
            let _: Account = try await told {
                signIn(sub: "sub-\(id)", email: "\(id)@example.org", newID: id, at: 10, then: $0)
            }
            let profile = Profile(username: id, firstName: id.capitalized, dateOfBirth: -100)
            let _: Account = try await told { setProfile(profile, .new(file: nil), of: id, at: 11, then: $0) }
        }
    }

    @discardableResult
    func made(_ id: String, by creator: String, with members: String..., at: Int64 = 20) async throws -> RoomRecord {
        let room = NewRoom(id: id, creator: creator, members: members, at: at)
        let created: CreatedRoom = try await told { createRoom(room, then: $0) }
        return created.room
    }
}
