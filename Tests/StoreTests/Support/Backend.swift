import Foundation
import Testing

@testable import Store

/// The databases that the contract is tested on. Another one is a case here.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    /// SQLite in a data directory.
    case file
    /// SQLite in memory.
    case memory
    case postgres

    /// Those whose contents outlive the store.
    static let lasting: [Backend] = [.file, .postgres]

    var testDescription: String { rawValue }

    func open(
        _ scratch: Scratch, limits: StoreLimits = .quick, notifies: Bool = false,
        now: @escaping @Sendable () -> Int64 = { 1_000_000 }
    ) throws -> DatabaseStore {
        try DatabaseStore(place(scratch), limits: limits, notifies: notifies, now: now)
    }

    func place(_ scratch: Scratch) throws -> DatabaseStore.Place {
        switch self {
        case .file: .directory(scratch.path)
        case .memory: .memory
        case .postgres: .postgres(try PostgresServer.place(scratch.schema))
        }
    }

    func driver(_ scratch: Scratch) throws -> any SQLDriver {
        try place(scratch).driver(.quick)
    }
}

extension StoreLimits {
    /// Limits that keep tests from waiting for what they do not test.
    static var quick: StoreLimits {
        var limits = StoreLimits()
        limits.groupMilliseconds = 0
        limits.lockMillisecondsMax = 50
        limits.leaseMillisecondsMax = 0
        limits.probeMilliseconds = 20
        // A sweep goes by a clock in which most of what tests write ended long ago.
        limits.sweepMilliseconds = 3_600_000
        return limits
    }
}

/// A directory for one test, gone with it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "rooms-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var database: String { "\(path)/rooms.db" }
    /// A name for tables of PostgreSQL.
    var schema: String {
        "test_" + path.split(separator: "-").suffix(5).joined(separator: "_").lowercased()
    }
}

/// Runs a test with an open store and closes it afterwards.
func withStore(
    _ backend: Backend = .file, limits: StoreLimits = .quick, notifies: Bool = false,
    now: @escaping @Sendable () -> Int64 = { 1_000_000 },
    _ body: (any ServerStore) async throws -> Void
) async throws {
    let scratch = try Scratch()
    let store = try backend.open(scratch, limits: limits, notifies: notifies, now: now)
    defer { store.close() }
    try await body(store)
}

/// Waits for the answer of a call to the store.
func told<Value: Sendable>(_ call: (@escaping Answer<Value>) -> Void) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        call { continuation.resume(with: $0) }
    }
}

/// Waits until something holds that a thread of the store brings about.
func eventually(_ what: Comment, _ body: () async throws -> Bool) async throws {
    for _ in 0..<1_000 {
        if try await body() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record(what)
}
