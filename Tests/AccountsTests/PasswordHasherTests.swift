import Testing

@testable import Accounts

@Suite("Passwords", .timeLimit(.minutes(1)))
struct PasswordHasherTests {
    private static let cheap = {
        var costs = PasswordHasher.Costs()
        costs.memoryKibibytes = 64
        costs.passes = 1
        return costs
    }()

    @Test("match their own hash alone")
    func matching() async throws {
        let hasher = PasswordHasher(costs: Self.cheap)
        let hash = try await hasher.hash("correct horse")
        #expect(hash.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$") && hash.utf8.count < 128)
        #expect(try await hasher.hash("correct horse") != hash)
        #expect(try await hasher.matches("correct horse", hash))
        for wrong in ["", "correct hors", "correct horse ", "Correct horse", "correct horse\0"] {
            #expect(try await !hasher.matches(wrong, hash))
        }
        for wrong in [nil, "", "nonsense", "$argon2id$v=19$m=64,t=1,p=1$", hash + "x"] {
            #expect(try await !hasher.matches("correct horse", wrong))
        }
    }

    @Test("have hashes that are outdated when the costs are others")
    func outdated() async throws {
        let hasher = PasswordHasher(costs: Self.cheap)
        let hash = try await hasher.hash("x")
        #expect(!hasher.isOutdated(hash))
        var costs = Self.cheap
        costs.passes = 2
        #expect(PasswordHasher(costs: costs).isOutdated(hash))
    }

    @Test("are refused when too many wait, and all that were taken are answered")
    func bounded() async throws {
        let hasher = PasswordHasher(costs: Self.cheap, threadCount: 1, waitingMax: 4)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { (try? await hasher.hash("x")) != nil } }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(answers.count == 200 && answers.contains(true) && answers.contains(false))
        #expect(try await hasher.matches("x", hasher.hash("x")))
    }

    @Test("are refused after the end, which answers those that wait")
    func ended() async throws {
        let hasher = PasswordHasher(costs: Self.cheap, threadCount: 1)
        let waiting = (0..<20).map { _ in Task { try await hasher.hash("x") } }
        hasher.stop()
        hasher.stop()
        for task in waiting { _ = await task.result }
        await #expect(throws: AccountFault.busy) { _ = try await hasher.hash("x") }
    }
}
