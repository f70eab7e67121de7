import Foundation
import Testing

/// Processes that store are killed at random moments. For two hundred: `store-trial kill DIR 200`.
@Suite("A server that is killed", .timeLimit(.minutes(5)))
struct KillTests {
    private func trial(_ command: String, kills: Int, seed: Int) throws -> (status: Int32, output: String) {
        let scratch = try Scratch()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("store-trial")
        process.arguments = [command, "\(scratch.path)/data", "\(kills)", "\(seed)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("loses nothing that it told as stored, has nothing twice, and keeps the order")
    func kills() throws {
        let kills = ProcessInfo.processInfo.environment["ROOMS_TEST_KILLS"].flatMap { Int($0) } ?? 20
        let (status, output) = try trial("kill", kills: kills, seed: .random(in: 0..<1_000_000))
        #expect(status == 0, "\(output)")
        #expect(output.contains("\(kills) kills"))
    }

    @Test("is found out when it tells too early")
    func canary() throws {
        let (status, output) = try trial("kill-lying", kills: 20, seed: 1)
        #expect(status == 1)
        #expect(output.contains("was acked"), "\(output)")
    }
}
