import Relay
import Wire

/// Questions that one node asks another for its operator. The nodes trust each other by the cluster's secret, so the
/// operators' token is checked once.
extension ConsoleAnswers {
    private static let patience = Duration.milliseconds(1_500)

    /// Passes a question on.
    func ask(node: Int, _ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard let cluster = facts.cluster else {
            give(.failure(404, "This server is not part of a cluster."))
            return nil
        }
        guard cluster.reading.node != node else { return answer(question, give) }
        let asked = RoomCommands(mailboxes, facts.relay).consult(node, question.record) { bytes in
            guard let bytes, let reply = try? Reply(record: bytes) else {
                if question.isDeed {
                    let outcome = "failed: node \(node) does not answer"
                    facts.audit.record(question.name, question.subject, outcome: outcome, asker: question.asker)
                }
                return give(.failure(503, "Node \(node) does not answer."))
            }
            give(reply)
        }
        return { asked.giveUp() }
    }

    /// Answers the other nodes from now on.
    package func answerNodes() {
        let answers = self
        facts.relay.answerOperators { bytes, answer in
            guard let question = try? ConsoleQuestion(record: bytes) else {
                return answer(Reply.failure(400, "The nodes have different versions.").record)
            }
            let giveUp = answers.answer(question) { answer($0.record) }
            guard let giveUp else { return }
            Task.detached {
                try? await Task.sleep(for: Self.patience)
                giveUp()
            }
        }
    }
}

extension ConsoleQuestion {
    var record: [UInt8] {
        var record = RecordWriter()
        record.put(name)
        record.put(isDeed)
        record.put(asker)
        record.put(fields) { field, record in
            record.put(field.name)
            record.put(field.text) { $1.put($0) }
            record.put(field.number) { $1.put($0) }
        }
        return record.bytes
    }

    init(record bytes: [UInt8]) throws(RecordFault) {
        var record = RecordReader(bytes)
        let (name, isDeed, asker) = (try record.string(), try record.bool(), try record.string())
        let fields = try record.list { record throws(RecordFault) in
            Field(
                name: try record.string(),
                text: try record.optional { record throws(RecordFault) in try record.string() },
                number: try record.optional { record throws(RecordFault) in try record.int() })
        }
        self.init(name, isDeed: isDeed, asker: asker, fields)
    }
}

extension OperatorDesk.Reply {
    var record: [UInt8] {
        var record = RecordWriter()
        record.put(status)
        record.put(body)
        return record.bytes
    }

    init(record bytes: [UInt8]) throws(RecordFault) {
        var record = RecordReader(bytes)
        self.init(status: try record.int(upTo: 599), body: try record.blob())
    }
}
