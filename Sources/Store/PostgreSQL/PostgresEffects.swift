import Rooms
import Wire

/// The effects of many entries on elements, participants and files, as rows of few statements.
///
/// Of several changes of one element only the last state is written, and of a participant who comes and goes only
/// whether they are there.
struct PostgresEffects {
    private struct Place: Hashable {
        let room: Int64
        let id: ExactText
    }

    private struct Write {
        /// Set for an element that these entries have made.
        var created: (element: Element, creation: String?, seq: UInt64)?
        var seq: UInt64
        var version: Int
        var era: Int64
        /// Nil once it is deleted.
        var element: Element?
        var deletedAt: Int64?
    }

    private var elements: [Place: Write] = [:]
    /// Nil for those who have left.
    private var presences: [Place: Presence?] = [:]
    private var cleared: [Int64] = []
    /// The files that are shown, by what shows them.
    private var files: [ExactText: [String]] = [:]

    mutating func add(
        _ entry: JournalEntry, _ counts: JournalWriting.Counts, _ roomID: String
    ) throws(StoreError) {
        let (room, era) = (counts.key, counts.era)
        switch entry.effect {
        case .none: return
        case .created(let element, let creation):
            elements[Place(room: room, id: ExactText(element.id))] = Write(
                created: (element, creation, entry.seq), seq: entry.seq, version: element.version, era: era,
                element: element)
        case .updated(let element):
            let place = Place(room: room, id: ExactText(element.id))
            let before = elements[place]
            if before?.deletedAt != nil { throw .notFound("element") }
            elements[place] = Write(
                created: before?.created, seq: entry.seq, version: element.version, era: era,
                element: element)
        case .deleted(let id, let version):
            let place = Place(room: room, id: ExactText(id))
            let before = elements[place]
            if before?.deletedAt != nil { throw .notFound("element") }
            elements[place] = Write(
                created: before?.created, seq: entry.seq, version: version, era: era, element: nil,
                deletedAt: entry.at)
        case .came(let presence): presences[Place(room: room, id: ExactText(presence.id))] = .some(presence)
        case .left(let person): presences[Place(room: room, id: ExactText(person))] = .some(nil)
        case .closed:
            cleared.append(room)
            for place in presences.keys where place.room == room { presences[place] = nil }
        }
        showFiles(entry, roomID)
    }

    /// Notes show no files, so there is nothing to look for.
    private mutating func showFiles(_ entry: JournalEntry, _ room: String) {
        switch entry.effect {
        case .created(let element, _), .updated(let element):
            guard element.kind != .note || !entry.media.isEmpty else { return }
            files[ExactText(MediaUses.holder(element: element.id, room: room))] = entry.media
        case .deleted(let id, _): files[ExactText(MediaUses.holder(element: id, room: room))] = []
        case .none, .came, .left, .closed: return
        }
    }

    // MARK: Statements

    func store(in database: PostgresConnection) throws(StoreError) {
        try storeElements(in: database)
        try storePresences(in: database)
        _ = try database.execute(
            "DELETE FROM media_uses USING unnest($1) AS v (holder) WHERE media_uses.holder = v.holder", [.text],
            files.keys.map { [.text($0.text)] })
        _ = try database.execute(
            "INSERT INTO media_uses (media, holder) SELECT * FROM unnest($1, $2) ON CONFLICT DO NOTHING",
            [.text, .text],
            files.flatMap { holder, keys in keys.map { [.text($0), .text(holder.text)] } })
    }

    private func storeElements(in database: PostgresConnection) throws(StoreError) {
        var inserts: [[SQLValue]] = []
        var updates: [[SQLValue]] = []
        for (place, write) in elements {
            let state: [SQLValue] =
                [
                    .int(place.room), .text(place.id.text), .seq(write.seq), .int(write.version),
                    .optional(write.element?.updatedAt), .optional(json: write.element?.updatedBy ?? []),
                    .optional(write.deletedAt), .int(write.era),
                ] + (write.element?.values ?? Element.noValues).map { .optional(json: $0) }
            guard let (element, creation, seq) = write.created else {
                updates.append(state)
                continue
            }
            inserts.append(
                state + [
                    .seq(seq), .text(element.kind.rawValue), .json(element.createdBy), .int(element.createdAt),
                    .optional(creation),
                ])
        }
        let columns: [PostgresParameters.Column] =
            [.int, .text, .int, .int, .int, .text, .int, .int] + Element.Field.allCases.map { _ in .text }
        _ = try database.execute(
            """
            INSERT INTO elements (room, id, seq, version, updated_at, updated_by, deleted_at, era, position_x,
                position_y, width, height, content, image_url, audio_url, duration, z, color, created_seq, kind, created_by,
                created_at, creation)
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22, $23)
            """, columns + [.int, .text, .text, .int, .text], inserts)
        let count = try database.execute(
            """
            UPDATE elements SET seq = v.seq, version = v.version, updated_at = v.updated_at, updated_by = v.updated_by,
                deleted_at = v.deleted_at, era = v.era, position_x = v.position_x, position_y = v.position_y, width = v.width,
                height = v.height, content = v.content, image_url = v.image_url, audio_url = v.audio_url,
                duration = v.duration, z = v.z, color = v.color
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                $18) AS v (room, id, seq, version, updated_at, updated_by, deleted_at, era, position_x, position_y, width, height,
                    content, image_url, audio_url, duration, z, color)
            WHERE elements.room = v.room AND elements.id = v.id AND elements.deleted_at IS NULL
            """, columns, updates)
        guard count == updates.count else { throw .notFound("element") }
    }

    private func storePresences(in database: PostgresConnection) throws(StoreError) {
        _ = try database.execute(
            "DELETE FROM present USING unnest($1) AS v (room) WHERE present.room = v.room", [.int],
            cleared.map { [.int($0)] })
        _ = try database.execute(
            """
            DELETE FROM present USING unnest($1, $2) AS v (room, person)
            WHERE present.room = v.room AND present.person = v.person
            """, [.int, .text],
            presences.filter { $0.value == nil }.map { [.int($0.key.room), .text($0.key.id.text)] })
        _ = try database.execute(
            """
            INSERT INTO present (room, person, slot, joined_at, profile) SELECT * FROM unnest($1, $2, $3, $4, $5)
            ON CONFLICT (room, person) DO UPDATE
                SET slot = excluded.slot, joined_at = excluded.joined_at, profile = excluded.profile
            """, [.int, .text, .int, .int, .text],
            presences.compactMap { place, presence in
                presence.map {
                    [
                        .int(place.room), .text(place.id.text), .optional($0.slot.map { Int64($0) }),
                        .int($0.joinedAt), .optional(json: $0.profile),
                    ]
                }
            })
    }
}
