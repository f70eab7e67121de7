import Glibc
import Store

/// Tries the store out: kills a process that stores at random moments, and measures how fast it stores.
enum StoreTrial {
    static let usage = """
        Usage:
          store-trial append DIR                 Append to rooms without end; a line "room number" for each that is stored.
          store-trial kill DIR COUNT [SEED]      Kill such a process COUNT times and look after each what is there.
          store-trial append-lying|kill-lying …  The same with a process that tells too early: the trial has to fail.
          store-trial bench DIR [OPTION …]       Measure. --seconds N --rooms N --in-flight N --group-milliseconds N

        """

    static func main() -> Never {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("append", 2): try AppendTrial(arguments[1], isLying: false).run()
            case ("append-lying", 2): try AppendTrial(arguments[1], isLying: true).run()
            case ("kill", 3...4), ("kill-lying", 3...4):
                guard let count = Int(arguments[2]), count > 0 else { break }
                let seed = arguments.count == 4 ? UInt64(arguments[3]) : nil
                let command = arguments[0] == "kill" ? "append" : "append-lying"
                try KillTrial(command, arguments[1], seed: seed ?? .random(in: 0..<1_000_000)).run(count)
                exit(0)
            case ("bench", 2...):
                guard let bench = BenchTrial(arguments[1], Array(arguments.dropFirst(2))) else { break }
                try bench.run()
                exit(0)
            default: break
            }
        } catch { fail(error) }
        tell(usage)
        exit(64)
    }

    /// What the store has answered. A store that fails ends the trial.
    static func value<Value>(_ result: Result<Value, StoreError>) -> Value {
        do throws(StoreError) { return try result.get() } catch { fail(error) }
    }

    private static func fail(_ error: any Error) -> Never {
        tell("store-trial: \(error)\n")
        exit(1)
    }

    private static func tell(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

struct TrialFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
