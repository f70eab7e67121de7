import Testing

@testable import Store

/// A node's store, a connection for what another node does at the same time in a transaction, and one that looks at both.
enum NodeBeside {
    static func with(
        _ body: (DatabaseStore, _ other: PostgresConnection, _ watcher: PostgresConnection) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        var limits = StoreLimits.quick
        limits.lockMillisecondsMax = 10_000
        let place = try PostgresServer.place(scratch.schema)
        let store = try DatabaseStore(.postgres(place), limits: limits, node: 1)
        defer { store.close() }
        let other = try PostgresConnection(place, limits, isReader: false)
        try await body(store, other, try PostgresConnection(place, limits, isReader: true))
    }

    static func waits(_ watcher: PostgresConnection) async throws {
        try await eventually("one waits for the other") {
            try watcher.first("SELECT count(*) FROM pg_locks WHERE NOT granted") { $0.int(0) } ?? 0 > 0
        }
    }
}
