import Testing
import Wire

@testable import Operations

@Suite("Questions of the console between nodes")
struct ConsoleQuestionTests {
    @Test("are read as they were written")
    func records() throws {
        let question = ConsoleQuestion(
            "ban", isDeed: true, asker: "192.0.2.1",
            [.init(name: "person", text: "ada\u{0}"), .init(name: "minutes", number: 10), .init(name: "reason")])
        let again = try ConsoleQuestion(record: question.record)
        #expect(again == question)
        #expect(again.text("person") == "ada\u{0}" && again.number("minutes") == 10 && again.text("reason") == nil)
        #expect(again.subject == "person ada\u{0}")
        let reply = OperatorDesk.Reply.failure(404, "no")
        let replyAgain = try OperatorDesk.Reply(record: reply.record)
        #expect(replyAgain.status == 404 && replyAgain.body == reply.body)
    }

    @Test("that are cut off or something else are no question, and do no harm")
    func faults() {
        let record = ConsoleQuestion("rooms", isDeed: false, asker: "a", [.init(name: "limit", text: "5")]).record
        for count in record.indices {
            #expect(throws: RecordFault.self) { try ConsoleQuestion(record: Array(record.prefix(count))) }
        }
        #expect(throws: RecordFault.self) { try OperatorDesk.Reply(record: [0xff, 0xff, 0xff]) }
    }
}
