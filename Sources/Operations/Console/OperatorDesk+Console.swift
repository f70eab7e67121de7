import Transport

/// The console: a page that every client may load and that shows nothing by itself, and the numbers and actions behind
/// it, which need the operators' token. The token is sent in a header, never in a cookie, so no other page can make a
/// browser send it.
extension OperatorDesk {
    private static let bodyBytesMax = 4_096

    func answerConsole(_ exchange: HTTPExchange) {
        let path = exchange.head.path
        if let file = ConsoleFiles.byPath[path] {
            file.answer(exchange)
        } else if !path.hasPrefix("/console/api/") {
            exchange.respond(404, text: "Not found\n")
        } else if isLetIn(exchange) {
            answerAPI(String(path.dropFirst("/console/api/".count)), exchange)
        }
    }

    private func answerAPI(_ name: String, _ exchange: HTTPExchange) {
        switch exchange.head.method {
        case .get: answer(ConsoleQuestion(reading: name, exchange), exchange)
        case .post:
            exchange.receiveBody(max: Self.bodyBytesMax) { [unowned self] exchange, body in
                self.answer(ConsoleQuestion(doing: name, exchange, body), exchange)
            }
        default: exchange.respond(405, [("Allow", "GET, POST")], text: "Method not allowed\n")
        }
    }

    private func answer(_ question: ConsoleQuestion, _ exchange: HTTPExchange) {
        guard hasRoom(exchange) else { return }
        let (timer, give) = promise(exchange)
        let answers = ConsoleAnswers(facts, mailboxes, server)
        let giveUp =
            if let node = question.number("node") {
                answers.ask(node: node, question, give)
            } else {
                answers.answer(question, give)
            }
        if let giveUp { timer.fire = giveUp }
    }
}
