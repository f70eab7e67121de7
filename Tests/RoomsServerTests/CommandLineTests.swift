@testable import Configuration
import TestSupport
import Testing

@testable import RoomsServer

@Suite("The command line")
struct CommandLineTests {
    static let pages =
        [["help"], ["serve", "--help"], ["check-config", "--help"], ["version"]]
        + (RoomsTool.table.commands.map(\.name) + ["help"] + Settings.all.map(\.name)).map { ["help", $0] }

    @Test("has pages of at most a hundred columns", arguments: pages)
    func width(arguments: [String]) {
        let out = Collected()
        let code = RoomsTool.table.run(
            CommandContext(
                arguments: arguments, environment: [:], standardOutput: { out.append($0) },
                standardError: { _ in Issue.record("help goes to standard output") }))
        #expect(code == .ok)
        #expect(out.text.hasSuffix("\n"))
        for line in out.text.split(separator: "\n") {
            #expect(line.count <= TextLayout.columnsMax, "\(line)")
            #expect(line.last != " ", "\(line)")
        }
    }

    @Test("explains every setting, exit code and signal in the page of serve")
    func completeness() {
        let page = run("help", "serve").out
        for setting in Settings.all { #expect(page.contains("  \(setting.optionName)")) }
        for code in ExitCode.allCases { #expect(page.contains("\n  \(code.rawValue) ")) }
        for word in ["SIGTERM", "SIGINT", "SIGHUP", "ROOMS_CONFIG", "Examples:"] { #expect(page.contains(word)) }
        #expect(run("serve", "-h").out == page)
        #expect(run("--help").out == run("help").out)
    }

    @Test(
        "tells what was probably meant",
        arguments: [("srve", "serve"), ("chek-config", "check-config"), ("hlep", "help")])
    func unknownCommand(typed: String, meant: String) {
        let result = run(typed)
        #expect(result.code == .usage)
        #expect(
            result.err == "rooms: there is no command \"\(typed)\". Did you mean rooms \(meant)?\nSee: rooms help\n")
    }

    @Test("without a command is an error that shows the overview")
    func nothing() {
        let result = run()
        #expect(result.code == .usage)
        #expect(result.err == run("help").out)
    }

    @Test("refuses help for what does not exist, and arguments that mean nothing")
    func usage() {
        #expect(run("help", "listn").err.contains("Did you mean rooms help listen?"))
        #expect(run("help", "listn").code == .usage)
        #expect(run("help", "a", "b").code == .usage)
        #expect(run("version", "x").code == .usage)
        #expect(run("help", "--listen").out == run("help", "listen").out)
        #expect(run("version").out.hasPrefix("rooms \(Version.current) ("))
        #expect(run("--version").out == run("version").out)
    }

    @Test("shows in check-config each value with its place, and no secret")
    func checkConfig() {
        let result = run(
            "check-config", "--auth=hs256", "--threads", "3",
            environment: ["ROOMS_AUTH_SECRET": goodSecret, "ROOMS_ORIGINS": "https://a.example"])
        #expect(result.code == .ok)
        let rows = result.out.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(rows.contains("threads 3 option --threads"))
        #expect(rows.contains("auth-secret <secret> environment variable ROOMS_AUTH_SECRET"))
        #expect(rows.contains("origins https://a.example environment variable ROOMS_ORIGINS"))
        #expect(rows.contains("ping-interval 25s default"))
        #expect(rows.last == "The configuration is good.")
        #expect(rows.count == Settings.all.count + 1)
        #expect(!result.out.contains(goodSecret))
    }

    @Test("shows where a secret's file is, and marks what was refused")
    func checkConfigMarks() throws {
        let scratch = try Scratch()
        let file = try scratch.write("s", goodSecret)
        let result = run("check-config", "--auth=hs256", "--auth-secret-file", file, "--threads", "x")
        #expect(result.code == .configuration)
        #expect(result.out.contains("<secret>"))
        #expect(result.out.contains("file \(file)\n"))
        #expect(result.out.contains("(refused)"))
        #expect(result.err.hasPrefix("fault: threads (option --threads): \"x\" is no whole number."))
        #expect(!result.out.contains("good"))
    }
}
