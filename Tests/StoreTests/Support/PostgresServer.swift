import Foundation
import Glibc

@testable import Store

/// A PostgreSQL server for all tests of this process. It ends with the process, whatever ends that.
final class PostgresServer: Sendable {
    private static let running = Result { try PostgresServer() }

    /// A place with tables of its own. The same name gives the same place.
    static func place(_ schema: String) throws -> PostgresPlace {
        let directory = try running.get().directory
        let url = "postgresql:///postgres?host=\(directory)&user=rooms"
        let database = try PostgresConnection(PostgresPlace(url), .quick, isReader: false)
        try database.script("SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS \(schema)")
        return try PostgresPlace("\(url)&options=-csearch_path%3D\(schema)")
    }

    private let directory: String

    private init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let scratch = try Scratch()
        let said = "\(scratch.path)/said"
        // The server runs until this pipe is closed, which is never done here.
        guard popen("exec '\(tests)/postgres/serve.sh' >'\(said)'", "w") != nil else {
            throw CocoaError(.executableLoad)
        }
        var directory = ""
        for _ in 0..<3_000 where directory.isEmpty {
            usleep(10_000)
            let text = try? String(contentsOfFile: said, encoding: .utf8)
            if let text, text.hasSuffix("\n") { directory = String(text.dropLast()) }
        }
        guard !directory.isEmpty else { throw CocoaError(.executableLoad) }
        self.directory = directory
    }
}
