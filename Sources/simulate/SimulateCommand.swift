import Glibc
import RoomsSimulation

/// Runs the simulation with one seed after the other until one breaks a promise.
enum SimulateCommand {
    private static let usage = """
        Usage: simulate [--seed N] [--seeds N] [--steps N] [--only server|cluster] [--about all|texts]
          --seed N   the first seed (default: from the clock)
          --seeds N  how many seeds (default: until interrupted)
          --steps N  steps with each seed (default: 400)
          --only X   one server, or a cluster of servers (default: each seed simulates both)
          --about X  all that clients do, or only texts in which several write (default: all)
        """

    static func main() {
        hashTheSameAgain()
        let (numbers, shapes, isAboutTexts) = options()
        let first = numbers["--seed"] ?? UInt64(time(nil))
        let count = numbers["--seeds"] ?? .max
        let steps = Int(numbers["--steps"] ?? 400)
        print("From seed \(first), \(steps) steps each.")
        tellSeedOnTrap()
        let started = time(nil)
        var done: UInt64 = 0
        while done < count {
            let seed = first &+ done
            currentSeed = seed
            for isCluster in shapes { run(seed, steps, isCluster, isAboutTexts) }
            done += 1
            if done % 1_000 == 0 {
                print("\(done) seeds, to \(seed), in \(time(nil) - started) s")
                fflush(nil)
            }
        }
        print("\(done) seeds, each promise kept.")
    }

    /// The order of a dictionary differs from process to process unless the environment says otherwise before the start.
    private static func hashTheSameAgain() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard getenv(name) == nil else { return }
        setenv(name, "1", 1)
        var arguments = CommandLine.arguments.map { strdup($0) }
        arguments.append(nil)
        execv("/proc/self/exe", arguments)
    }

    private static func options() -> (numbers: [String: UInt64], shapes: [Bool], isAboutTexts: Bool) {
        var numbers: [String: UInt64] = [:]
        var shapes = [false, true]
        var isAboutTexts = false
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            let value = arguments.popFirst() ?? ""
            if name == "--only", ["server", "cluster"].contains(value) {
                shapes = [value == "cluster"]
                continue
            }
            if name == "--about", ["all", "texts"].contains(value) {
                isAboutTexts = value == "texts"
                continue
            }
            guard ["--seed", "--seeds", "--steps"].contains(name), let number = UInt64(value) else {
                print(usage)
                exit(name == "--help" ? 0 : 2)
            }
            numbers[name] = number
        }
        return (numbers, shapes, isAboutTexts)
    }

    private static func run(_ seed: UInt64, _ steps: Int, _ isCluster: Bool, _ isAboutTexts: Bool) {
        do throws(Simulation.Failure) {
            try Simulation(seed: seed, isCluster: isCluster, isAboutTexts: isAboutTexts).run(steps: steps)
        } catch {
            // The same again, with a trace.
            do throws(Simulation.Failure) {
                try Simulation(seed: seed, isCluster: isCluster, isAboutTexts: isAboutTexts, isTraced: true)
                    .run(steps: steps)
            } catch {
                print(error)
            }
            print(
                "Again: swift run -c release simulate --seed \(seed) --seeds 1 --steps \(steps)"
                    + " --only \(isCluster ? "cluster" : "server") --about \(isAboutTexts ? "texts" : "all")")
            exit(1)
        }
    }

    // MARK: Traps

    /// A broken precondition ends the process, so the seed is printed before.
    private static func tellSeedOnTrap() {
        sigaction(SIGILL, nil, &formerAction)
        for number in [SIGILL, SIGTRAP] { signal(number, trapped) }
    }
}

private nonisolated(unsafe) var currentSeed: UInt64 = 0
/// What Swift does at a trap: it shows where it happened.
private nonisolated(unsafe) var formerAction = sigaction()

/// Uses nothing but `write`: no more is allowed in a signal's handler.
private func trapped(_ number: Int32) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { bytes in
        var rest = currentSeed
        var position = bytes.count - 1
        bytes[position] = UInt8(ascii: "\n")
        repeat {
            position -= 1
            bytes[position] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
            rest /= 10
        } while rest > 0 && position > 0
        _ = write(2, "Trapped with seed ", 18)
        _ = write(2, bytes.baseAddress?.advanced(by: position), bytes.count - position)
    }
    // The instruction runs again, and traps as it would have.
    sigaction(number, &formerAction, nil)
}
