import Testing
import Wire

@testable import Operations
@testable import Relay
@testable import Transport

@Suite("What the console is told when loops do not answer", .timeLimit(.minutes(1)))
struct SilenceTests {
    private func ask(_ name: String, loops: Int, _ more: [ConsoleQuestion.Field] = []) async -> OperatorDesk.Reply {
        // A mailbox that is not open is that of a loop that takes nothing.
        let answers = ConsoleAnswers(
            OperatorFacts(version: "0", token: nil, relay: RelayHub(shardCount: loops), store: nil),
            (0..<loops).map { ShardMailbox(index: $0) }, ServerState(TransportConfiguration()))
        let fields: [ConsoleQuestion.Field] = [.init(name: "text", text: "ada"), .init(name: "id", text: "den")]
        let question = ConsoleQuestion(name, isDeed: false, asker: "192.0.2.1", fields + more)
        return await withCheckedContinuation { continuation in
            _ = answers.answer(question) { continuation.resume(returning: $0) }
        }
    }

    @Test("a search names them: what is theirs is missing", arguments: ["find", "rooms"])
    func search(name: String) async throws {
        let reply = await ask(name, loops: 2)
        let answer = try JSONReader(reply.body)
        #expect(reply.status == 200)
        #expect(answer[name == "find" ? "found" : "rooms"]?.items?.isEmpty == true)
        #expect(answer["silentLoops"]?.items?.compactMap(\.int) == [0, 1])
    }

    @Test("a room that one of them may have is not shown as an empty one")
    func room() async {
        let reply = await ask("room", loops: 2)
        #expect(reply.status == 503)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("Loop 0 does not answer"))
        // One node of several says which of its loops may have it.
        let ofNode = await ask("room", loops: 2, [.init(name: "kept", text: "no")])
        #expect(ofNode.status == 200)
        #expect(String(decoding: ofNode.body, as: UTF8.self) == #"{"members":[],"silentLoops":[0,1]}"#)
    }

    @Test("a room names those whose members are missing")
    func members() throws {
        let room = RoomFigures(
            id: "den", shard: 0, state: .serving, load: 0, connections: 0, participants: 0, elements: 0, logBytes: 0,
            seq: 0, tickMilliseconds: 16, backlogEntries: 0)
        let cases: [([Int], [Int]?)] = [([1], [1]), ([], nil)]
        for (silent, named) in cases {
            let answer = try JSONReader(ConsoleJSON.room(room, nil, [], silent: silent))
            #expect(answer["silentLoops"]?.items?.compactMap(\.int) == named)
        }
    }

    @Test("an answer names no loop when all have answered")
    func whole() {
        #expect(String(decoding: ConsoleJSON.found([], hasMore: false, silent: []), as: UTF8.self) == #"{"found":[]}"#)
        #expect(String(decoding: ConsoleJSON.rooms([], silent: []), as: UTF8.self) == #"{"rooms":[]}"#)
    }
}
