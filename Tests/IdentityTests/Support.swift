import Foundation
import Testing
import Threads
import Transport

@testable import Identity

let now: Int64 = 1_700_000_000
let secret = Array("a secret that is long enough for it".utf8)

/// A box for what another thread answers.
final class Answers<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }

    /// Waits until there are so many, for ten seconds at most.
    @discardableResult
    func wait(_ count: Int = 1) async -> [Value] {
        for _ in 0..<1_000 where all.count < count { try? await Task.sleep(for: .milliseconds(10)) }
        return all
    }
}

typealias Verified = Result<VerifiedToken, TokenError>

extension TokenVerifier {
    func verify(_ token: String?, now: Int64 = now) async -> Verified {
        await withCheckedContinuation { continuation in
            verify(token, now: now) { continuation.resume(returning: $0) }
        }
    }

    /// The kind of the error, nil when the token is good.
    func fault(_ token: String?, now: Int64 = now) async -> TokenError.Kind? {
        await verify(token, now: now).fault
    }
}

extension Result where Failure == TokenError {
    var fault: TokenError.Kind? {
        if case .failure(let error) = self { error.kind } else { nil }
    }
}

/// A file for one test, gone with it.
final class ScratchFile: Sendable {
    let path = NSTemporaryDirectory() + "rooms-identity-\(UUID().uuidString)"

    init(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
