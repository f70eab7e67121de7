import Wire

/// New tokens, and events with answers.
extension ClientSession {
    // MARK: Tokens

    func askForRefresh() {
        guard case .asked = tokens, !isRefreshing else { return }
        isRefreshing = true
        handler?.sessionNeedsToken(self)
    }

    func refresh(_ token: String) {
        self.token = token
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("token", token)
            json.endObject()
        }
        // When it is refused the server says so once more as it ends the connection.
        emit("auth:refresh", argument) { _ in }
    }

    func noteUnauthorized() { wasUnauthorized = true }

    // MARK: Answers

    /// Sends an event; `argument` is JSON. With `done` an answer is asked for, and told.
    public func emit(
        _ name: String, _ argument: [UInt8], _ done: ((Result<Answer, ClientError>) -> Void)? = nil
    ) {
        guard state == .connected, let engine else {
            done?(.failure(.notConnected))
            return
        }
        // The packet's head takes some bytes more.
        guard argument.count + name.utf8.count + 32 <= engine.maxPayload else {
            done?(.failure(.badArgument("an event of \(argument.count) bytes is more than the server takes")))
            return
        }
        var id: UInt64?
        if let done {
            let timeout = configuration.answerTimeout.wholeMilliseconds
            if answers.isEmpty { loop.arm(answerTimer, in: timeout) }
            id = answers.add(until: loop.now + timeout, done)
        }
        engine.send { SocketPacketWriter.appendEvent(name, arguments: argument.span, ackID: id, to: &$0) }
    }

    func expireAnswers() {
        for done in answers.takeExpired(at: loop.now) { done(.failure(.timedOut)) }
        if state == .connected, let next = answers.nextDeadline { loop.arm(answerTimer, in: next - loop.now) }
    }
}
