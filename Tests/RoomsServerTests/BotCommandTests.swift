import RoomsBots
import Testing

@testable import RoomsServer

@Suite("rooms bot")
struct BotCommandTests {
    @Test(
        "refuses a command line that is wrong, and says why",
        arguments: [
            (["--nonsense"], "there is no option"), (["--behavior=draw"], "Did you mean --behaviour?"),
            (["--count"], "needs a value"), (["--count=0"], "from 1.0"), (["--count=1.5"], "--count is a number"),
            (["--behaviour=dance"], "wander, draw, follow, write, idle, chaos"),
            (["--touch=x"], "single, batch or binary"),
            (["--duration=5"], "is a duration"), (["--ca-file=/nowhere"], "--ca-file"),
            (["--seed=1", "--seed=2"], "twice"),
            (["--token=a", "--secret=b"], "--token or --secret, not both"), (["--url=ftp://x"], "begins with"),
        ])
    func refusals(_ arguments: [String], _ says: String) {
        let result = run(["bot"] + arguments)
        #expect(result.code == .usage)
        #expect(result.err.contains(says), "\(result.err)")
    }

    @Test("explains itself")
    func help() {
        #expect(run("bot", "--help").out == BotArguments.page)
        #expect(run("help", "bot").out == BotArguments.page)
    }

    @Test("takes its options")
    func options() throws {
        let read = BotArguments.read([
            "--room", "r", "--rooms=2", "--hz=12.5", "--seed", "9", "--duration=2m",
            "--secret=0123456789abcdef0123456789abcdef", "--view=800",
        ])
        let options = try read.get().options
        #expect(options.rooms == ["r-0", "r-1"] && options.hz == 12.5 && options.seed == 9 && options.seconds == 120)
        #expect(options.view == 800)
        #expect(throws: BotArguments.Fault.self) {
            try BotArguments.read(["--view=800", "--behaviour=chaos"]).get()
        }
        #expect(options.token("bot-0")?.split(separator: ".").count == 3)
    }

    @Test("ends as unavailable when no server is there")
    func nobody() {
        let result = run("bot", "--url=http://127.0.0.1:1", "--count=2", "--duration=300ms", "--quiet")
        #expect(result.code == .unavailable)
    }
}
