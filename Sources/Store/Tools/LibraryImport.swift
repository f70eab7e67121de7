import Wire

/// Reads stories from a JSON text. What is there already is changed to what the text says, so a text may be read again.
///
///     {"stories": [{"author": "ann@example.org", "title": "…", "published": true,
///                   "chapters": [{"title": "…", "content": "…", "published": true}],
///                   "whispers": [{"author": "ben@example.org", "content": "…"}]}]}
package struct LibraryImport {
    package static let bytesMax = 64 << 20

    package struct Report: Sendable, Equatable {
        package var stories = 0
        package var chapters = 0
        package var whispers = 0
    }

    private let database: any SQLConnection
    private let writing: LibraryWriting
    private var report = Report()

    /// Beside a server that uses the place. Each story is stored by itself.
    package static func run(
        _ json: [UInt8], into place: DatabaseStore.Place, now: Int64
    ) throws(StoreError) -> Report {
        let database = try AccountTool.open(place)
        var reading = LibraryImport(database, now: now)
        for (index, story) in try stories(json).enumerated() {
            try database.transaction { () throws(StoreError) in try reading.add(story, "stories[\(index)]") }
        }
        return reading.report
    }

    init(_ database: any SQLConnection, now: Int64) {
        self.database = database
        writing = LibraryWriting(database, StoreLimits(), notifies: false, now: now)
    }

    static func stories(_ json: [UInt8]) throws(StoreError) -> [JSONReader] {
        guard let stories = (try? JSONReader(json))?["stories"]?.items else {
            throw .conflict("The text must be a JSON object with an array of stories.")
        }
        return stories
    }

    mutating func add(_ json: JSONReader, _ place: String) throws(StoreError) {
        try writing.clock.lock()
        let author = try person(json, place)
        var fields = LibraryFields()
        fields[text: .title] = try text(json, "title", 1...200, place)
        fields[text: .text] = try optional(json, "summary", 2_000, place)
        fields[text: .coverURL] = try optional(json, "cover_url", 2_048, place)
        let slug = LibraryNames.plain(json["slug"]?.string ?? fields[text: .title] ?? "", 0x2d, most: 80)
        let known = try writing.rows.item(.story, slug)
        if let known, !known.owner.utf8.elementsEqual(author.id.utf8) {
            throw .conflict("\(place): the story \(slug) is another person's.")
        }
        let story: String
        if let known {
            story = known.id
            try make(.edit(.story, story, fields, version: nil), by: author, place)
        } else {
            var new = NewLibraryItem(.story, fields)
            new.slug = slug
            story = try make(.add(new), by: author, place)
        }
        report.stories += 1
        let isPublished = json["published"]?.bool == true
        if isPublished { try make(.publish(.story, story, true), by: author, place) }
        for (index, chapter) in (json["chapters"]?.items ?? []).enumerated() {
            try add(chapter, Int64(index + 1), to: story, by: author, "\(place).chapters[\(index)]")
        }
        guard known == nil else { return }
        for (index, whisper) in (json["whispers"]?.items ?? []).enumerated() {
            try add(whisper: whisper, about: story, "\(place).whispers[\(index)]")
        }
    }

    private mutating func add(
        _ json: JSONReader, _ number: Int64, to story: String, by author: LibraryActor, _ place: String
    ) throws(StoreError) {
        var fields = LibraryFields()
        fields[text: .title] = try text(json, "title", 1...200, place)
        fields[text: .text] = try text(json, "content", 1...200_000, place)
        fields[number: .place] = number
        let known = try database.first(
            """
            SELECT id FROM library WHERE story = $1 AND kind = 'chapter' AND title = $2 AND deleted_at IS NULL
            ORDER BY place, id LIMIT 1
            """, .text(story), .text(fields[text: .title] ?? "")
        ) { $0.text(0) }
        var chapter = known ?? ""
        if let known {
            try make(.edit(.chapter, known, fields, version: nil), by: author, place)
        } else {
            var new = NewLibraryItem(.chapter, fields)
            (new.story, new.slug) = (story, json["slug"]?.string)
            chapter = try make(.add(new), by: author, place)
        }
        report.chapters += 1
        if json["published"]?.bool == true { try make(.publish(.chapter, chapter, true), by: author, place) }
    }

    private mutating func add(whisper json: JSONReader, about story: String, _ place: String) throws(StoreError) {
        var fields = LibraryFields()
        fields[text: .text] = try text(json, "content", 1...2_000, place)
        var new = NewLibraryItem(.whisper, fields)
        new.story = story
        try make(.add(new), by: try person(json, place), place)
        report.whispers += 1
    }

    @discardableResult
    private func make(
        _ change: LibraryChange, by actor: LibraryActor, _ place: String
    ) throws(StoreError) -> String {
        switch try writing.change(change, by: actor, as: nil) {
        case .success(let done): return done.id
        case .failure(.conflict(let sentence)): throw .conflict("\(place): \(sentence)")
        case .failure(let refusal): throw .conflict("\(place): \(refusal)")
        }
    }

    // MARK: Reading

    /// The person that `author` names by id, e-mail address or handle.
    private func person(_ json: JSONReader, _ place: String) throws(StoreError) -> LibraryActor {
        let name = try text(json, "author", 1...254, place)
        let found = try database.first(
            """
            SELECT id, name FROM people WHERE id = $1 OR lower(email) = $2
                OR id IN (SELECT person FROM authors WHERE handle = $1) LIMIT 1
            """, .text(name), .name(name)
        ) { LibraryActor(id: $0.text(0), name: $0.text(1)) }
        guard let found else { throw .conflict("\(place): there is no user \(name).") }
        return found
    }

    private func text(
        _ json: JSONReader, _ name: String, _ range: ClosedRange<Int>, _ place: String
    ) throws(StoreError) -> String {
        guard let text = json[name]?.string, range.contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 && !"\n\r\t".unicodeScalars.contains($0) })
        else {
            throw .conflict(
                "\(place): \(name) must be a text of \(range.lowerBound) to \(range.upperBound) characters.")
        }
        return text
    }

    private func optional(
        _ json: JSONReader, _ name: String, _ most: Int, _ place: String
    ) throws(StoreError) -> String? {
        json[name] == nil ? nil : try text(json, name, 1...most, place)
    }
}

extension DatabaseStore {
    package func importLibrary(_ json: [UInt8], then answer: @escaping Answer<LibraryImport.Report>) {
        writeAlone(counts, byteCount: json.count, then: answer) { [now] (database) throws(StoreError) in
            var reading = LibraryImport(database, now: now())
            for (index, story) in try LibraryImport.stories(json).enumerated() {
                try reading.add(story, "stories[\(index)]")
            }
            return reading.end
        }
    }
}

extension LibraryImport {
    fileprivate var end: Report { report }
}
