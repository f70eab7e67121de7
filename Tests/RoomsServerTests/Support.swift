import Foundation
import Testing
import Threads
import Transport

@testable import RoomsServer

/// Reads a configuration from texts, on a machine that has enough of everything.
func report(
    _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
) -> ConfigurationReport {
    let options = file == nil ? [] : ["--config", "test.conf"]
    let reader = ConfigurationReader(
        arguments: options + arguments, environment: environment,
        readFile: { _ in .success(Array((file ?? "").utf8)) }, host: HostChecks(descriptorsMax: .max))
    guard case .report(let report) = reader.read() else {
        Issue.record("help was asked for")
        return ConfigurationReport()
    }
    return report
}

extension ConfigurationReport {
    var texts: [String] { faults.map(\.description) }

    func value(_ setting: String) -> String { Settings.named(setting)?.show(configuration) ?? "no such setting" }
}

/// A directory for one test, gone with it.
final class Scratch {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "rooms-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}

/// Collects what is written from any thread.
final class Collected: Sendable {
    private let pieces = Locked<[String]>([])

    func append(_ text: String) { pieces.withLock { $0.append(text) } }

    var text: String { pieces.withLock { $0.joined() } }
    var all: [String] { pieces.withLock { $0 } }
}

/// Runs a command line within the test's process.
func run(_ arguments: String..., environment: [String: String] = [:]) -> (code: ExitCode, out: String, err: String) {
    run(arguments, environment: environment)
}

func run(_ arguments: [String], environment: [String: String] = [:]) -> (code: ExitCode, out: String, err: String) {
    let out = Collected()
    let err = Collected()
    let code = RoomsTool.table.run(
        CommandContext(
            arguments: arguments, environment: environment, standardOutput: { out.append($0) },
            standardError: { err.append($0) }))
    return (code, out.text, err.text)
}

let goodSecret = "0123456789abcdef0123456789abcdef"
