import Foundation

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
    /// The server runs until this is closed.
    private let input = Pipe()

    private init() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("postgres/serve.sh")
        let output = Pipe()
        let process = Process()
        process.executableURL = script
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        directory = said.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !directory.isEmpty else { throw CocoaError(.executableLoad) }
    }
}
