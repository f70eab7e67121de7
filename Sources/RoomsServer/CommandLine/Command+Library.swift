import Configuration
import Store
import Threads

/// Commands on the library of a server.
extension Command {
    static let importLibrary = Command(
        name: "import-library", usage: "import-library [--data DIR | --store-file FILE] STORIES",
        summary: "Read stories from a JSON file.", page: { importLibraryPage }
    ) { context in
        run(context, "import-library", operand: "STORIES", flags: ["store"], page: importLibraryPage) {
            options throws(StoreError) in
            let json: [UInt8]
            switch FileContent.read(options.operand, bytesMax: LibraryImport.bytesMax) {
            case .success(let bytes): json = bytes
            case .failure(let fault): throw .failed(options.operand, detail: fault.problem)
            }
            let place = options.place ?? .directory(options.data)
            let report = try LibraryImport.run(json, into: place, now: Clock.unixSeconds())
            context.standardOutput(
                "\(report.stories) stories, \(report.chapters) chapters and \(report.whispers) whispers are in the library.\n"
            )
            return .ok
        }
    }
}

private let importLibraryPage = """
    Usage: rooms import-library [--data DIR | --store-file FILE] STORIES

    Reads stories from a JSON file into the library of the MueJam applications. A server may use the
    place meanwhile: phones get the stories with their next sync. Stories that are there already, by
    their slug, are changed to what the file says, so a file may be read again. Each story is stored by
    itself; at the first mistake the command ends and names it.

      {"stories": [{"author": "ann@example.org", "title": "...", "slug": "...", "summary": "...",
                    "cover_url": "https://...", "published": true,
                    "chapters": [{"title": "...", "content": "...", "published": true}],
                    "whispers": [{"author": "ben@example.org", "content": "..."}]}]}

    An author is a user with an account of the server, by id, e-mail address or handle. Whispers are
    read only with a story that is new.

    Options:
      --data DIR        The data directory. Otherwise ROOMS_DATA, or the setting data of the file that
                        --config FILE or ROOMS_CONFIG names.
      --store-file FILE A file with the URL of a PostgreSQL database, as for rooms serve; --store URL
                        names it directly.

    """
