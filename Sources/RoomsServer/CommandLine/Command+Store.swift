import Configuration
import Logging
import Store

/// Commands on a data directory.
extension Command {
    static let backup = Command(
        name: "backup", usage: "backup [--data DIR] FILE", summary: "Copy a data directory's database, even in use.",
        page: { backupPage }
    ) { context in
        run(context, "backup", operand: "FILE", page: backupPage) { options throws(StoreError) in
            try StoreBackup.make(of: options.data, to: options.operand)
            context.standardOutput("\(options.operand) is a copy of \(options.data).\n")
            return .ok
        }
    }

    static let restore = Command(
        name: "restore", usage: "restore [--data DIR] [--replace] FILE", summary: "Replace a database by a copy.",
        page: { restorePage }
    ) { context in
        run(context, "restore", operand: "FILE", flags: ["replace"], page: restorePage) { options throws(StoreError) in
            try StoreBackup.restore(options.operand, to: options.data, replacing: options.isReplacing)
            context.standardOutput("\(options.data) is restored from \(options.operand).\n")
            return .ok
        }
    }

    static let check = Command(
        name: "check", usage: "check [--data DIR | --store-file FILE]",
        summary: "Check all stored data, and print what is wrong.",
        page: { checkPage }
    ) { context in
        run(context, "check", operand: nil, flags: ["store"], page: checkPage) { options throws(StoreError) in
            let report = try StoreCheck.run(options.place ?? .directory(options.data))
            for finding in report.findings { context.standardError("\(printable(finding))\n") }
            let found = report.findings.isEmpty ? "nothing wrong" : "\(report.findings.count) findings"
            context.standardOutput(
                """
                version \(report.version), \(report.rooms) rooms, \(report.elements) elements, \
                \(report.entries) journal entries: \(found)

                """)
            return report.findings.isEmpty ? .ok : .badData
        }
    }

    static let export = Command(
        name: "export", usage: "export [--data DIR] ROOM", summary: "Write a room as lines of JSON.",
        page: { exportPage }
    ) { context in
        run(context, "export", operand: "ROOM", page: exportPage) { options throws(StoreError) in
            try RoomExport.run(options.operand, of: options.data) { line in
                context.standardOutput(String(decoding: line, as: UTF8.self))
            }
            return .ok
        }
    }

    static let `import` = Command(
        name: "import", usage: "import [--data DIR] FILE", summary: "Read a room that was exported.",
        page: { importPage }
    ) { context in
        run(context, "import", operand: "FILE", page: importPage) { options throws(StoreError) in
            let lines = try LineFile(options.operand)
            let report = try RoomImport.run(into: options.data) { () throws(StoreError) in try lines.next() }
            context.standardOutput(
                "Room \(report.room): \(report.elements) elements, \(report.accounts) new accounts.\n")
            return .ok
        }
    }

    static let moveStore = Command(
        name: "move-store", usage: "move-store FROM TO", summary: "Copy a store to another place, such as PostgreSQL.",
        page: { moveStorePage }
    ) { context in
        let operands = context.arguments.filter { !$0.hasPrefix("-") }
        if ["-h", "--help"].contains(where: context.arguments.contains) {
            context.standardOutput(moveStorePage)
            return .ok
        }
        guard operands.count == 2, context.arguments.count == 2 else {
            return context.refuse("move-store takes two places.", help: "rooms help move-store")
        }
        return reporting(context) { () throws(StoreError) in
            let (from, to) = (try DatabaseStore.Place(named: operands[0]), try DatabaseStore.Place(named: operands[1]))
            let counts = try StoreMove.run(from: from, to: to) { () throws(StoreError) in }
            for count in counts { context.standardOutput("\(count.table): \(count.rows) rows, equal\n") }
            return .ok
        }
    }

    static func run(
        _ context: CommandContext, _ name: String, operand: String?, flags: Set<String> = [], page: String,
        _ body: (StoreOptions) throws(StoreError) -> ExitCode
    ) -> ExitCode {
        switch StoreOptions.read(context, name, operand: operand, flags: flags, page: page) {
        case .ended(let code): return code
        case .options(let options): return reporting(context) { () throws(StoreError) in try body(options) }
        }
    }

    private static func reporting(_ context: CommandContext, _ body: () throws(StoreError) -> ExitCode) -> ExitCode {
        do throws(StoreError) {
            return try body()
        } catch {
            context.standardError("rooms: \(printable(error.description))\n")
            return exitCode(error)
        }
    }

    private static func exitCode(_ error: StoreError) -> ExitCode {
        switch error {
        case .corrupt, .notAStore, .newer: .badData
        case _ where error.isOfStorage: .storage
        default: .usage
        }
    }

    /// Names of rooms and files may have characters that would move a terminal's cursor.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { LogText.isUnsafe($0) ? "?" : $0 }))
    }
}

// MARK: - Pages

private let dataOptions = """
    Options:
      --data DIR        The data directory. Otherwise ROOMS_DATA, or the setting data of the file that
                        --config FILE or ROOMS_CONFIG names.
    """

private let backupPage = """
    Usage: rooms backup [--data DIR] FILE

    Copies the database of a data directory into a new file. A server may use the directory meanwhile:
    the copy has the data of one moment. rooms restore checks it. Uploaded files are not in the
    database: copy them separately, after the backup.

    \(dataOptions)

    """

private let restorePage = """
    Usage: rooms restore [--data DIR] [--replace] FILE

    Replaces the database of a data directory by a copy that rooms backup has made. It checks the copy
    first. No server may use the directory.

    \(dataOptions)
      --replace         Replace a database that exists. It stays beside the new one as
                        rooms.db.replaced.

    """

private let checkPage = """
    Usage: rooms check [--data DIR | --store-file FILE]

    Checks every page and row of a data directory's database, or every row of a PostgreSQL database. It
    prints each fault as a line on standard error, and then exits with code 65. It changes nothing. A
    server may use the place meanwhile.

    \(dataOptions)
      --store-file FILE A file with the URL of a PostgreSQL database, as for rooms serve; --store URL
                        names it directly.

    """

private let moveStorePage = """
    Usage: rooms move-store FROM TO

    Copies everything that is stored from one place to another, which has to be empty. A place is a data
    directory, a URL of PostgreSQL, or a file that holds such a URL. At the end every row of both is
    compared. No server may use either place: one that uses a PostgreSQL database cannot store from then
    on, and nodes of a cluster that live are a reason to refuse. A move that is refused changes nothing.
    Repeat a move that was interrupted: it goes on where it was. Until it is finished no server starts
    on TO. FROM stays as it is.

    Uploaded files are not copied: they stay in the directory that media names (media in the data
    directory).

    """

private let exportPage = """
    Usage: rooms export [--data DIR] ROOM

    Writes a room with its members and elements to standard output, one JSON object on each line. A
    server may use the directory meanwhile.

    \(dataOptions)

    """

private let importPage = """
    Usage: rooms import [--data DIR] FILE

    Reads a file that rooms export has written; - means standard input. It imports all of the file or
    nothing. No server may use the directory. The subject of a user's tokens identifies the user. A user
    who exists already is not changed. A username that another user has by now is left out.

    \(dataOptions)

    """
