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
        _ = FileManager.default.createFile(atPath: said, contents: nil)
        // The server runs until this pipe is closed, which is never done here.
        guard popen("exec '\(tests)/postgres/serve.sh' >'\(said)'", "w") != nil else {
            throw CocoaError(.executableLoad)
        }
        guard let output = fopen(said, "r") else { throw CocoaError(.fileReadNoSuchFile) }
        defer { fclose(output) }
        var line = [CChar](repeating: 0, count: 256)
        for _ in 0..<3_000 {
            rewind(output)
            if fgets(&line, Int32(line.count), output) != nil { break }
            usleep(10_000)
        }
        directory = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard !directory.isEmpty else { throw CocoaError(.executableLoad) }
    }
}
