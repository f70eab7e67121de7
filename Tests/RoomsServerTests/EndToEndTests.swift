import Foundation
import TestSupport
import Testing

@testable import RoomsServer

@Suite("The program")
struct EndToEndTests {
    /// The program lies beside the tests that run.
    private static var program: URL? {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return [own, root.appendingPathComponent(".build/debug")].map { $0.appendingPathComponent("rooms") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }

    private typealias Outcome = (code: Int32, out: String, err: String)

    private func rooms(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
        try rooms(arguments, environment: environment)
    }

    private func rooms(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
        let program: URL = try #require(Self.program, "the program rooms is not built")
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        try process.run()
        // One that serves would not end.
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [process] in
            if process.isRunning { process.terminate() }
        }
        let (outData, errData) = (
            out.fileHandleForReading.readDataToEndOfFile(), err.fileHandleForReading.readDataToEndOfFile()
        )
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: outData, as: UTF8.self),
            String(decoding: errData, as: UTF8.self)
        )
    }

    @Test("ends with 0 for a good file")
    func goodFile() throws {
        let scratch = try Scratch()
        let file = try scratch.write("rooms.conf", "listen = 127.0.0.1:0\nping-interval = 10s\n")
        let result = try rooms("check-config", environment: ["ROOMS_CONFIG": file])
        #expect(result.code == 0)
        #expect(result.out.contains("\(file):2\n"))
        #expect(result.out.hasSuffix("The configuration is good.\n"))
    }

    @Test("ends with 78 for a bad file and tells all of it, whether it checks or serves")
    func badFile() throws {
        let scratch = try Scratch()
        let file = try scratch.write("rooms.conf", "listen = 0.0.0.0:1\nping_interval = 10s\nthreads = 0\n")
        for command in ["check-config", "serve"] {
            let result = try rooms(command, "--config", file)
            #expect(result.code == 78)
            #expect(
                result.err.contains(
                    "fault: ping_interval (\(file):2): there is no such setting. Did you mean ping-interval?\n"))
            #expect(result.err.contains("fault: threads (\(file):3): \"0\" is below the least, 1."))
            #expect(result.err.contains("(\(file):1): auth is open and 0.0.0.0:1 can be reached"))
            #expect(result.err.contains("\n3 faults."))
        }
    }

    @Test(
        "ends with 78 for a server that would let everybody in",
        arguments: [
            ["--trusted-proxies", "127.0.0.1/32"], ["--forwarded-for", "--listen", "unix:SOCKET"],
            ["--public-url", "https://rooms.example"],
        ])
    func openToAll(settings: [String]) throws {
        let scratch = try Scratch()
        let settings = settings.map { $0.replacing("SOCKET", with: "\(scratch.path)/open.sock") }
        for command in ["check-config", "serve"] {
            let result = try rooms([command] + settings)
            #expect(result.code == 78 && result.err.contains("auth is open"))
        }
    }

    @Test("ends with 64 for a wrong command line")
    func usage() throws {
        #expect(try rooms().code == 64)
        #expect(try rooms("nonsense").code == 64)
        #expect(try rooms("serve", "--nonsense").code == 64)
        #expect(try rooms("check-config", "--threads").code == 64)
    }

    @Test("prints help and version to standard output")
    func help() throws {
        let help = try rooms("serve", "--help")
        #expect(help.code == 0)
        #expect(help.err.isEmpty)
        #expect(help.out.contains("--ping-interval DURATION"))
        #expect(try rooms("version").out.hasPrefix("rooms \(Version.current)"))
        #expect(try rooms("help", "--markdown").out == SettingsMarkdown.text())
    }
}
