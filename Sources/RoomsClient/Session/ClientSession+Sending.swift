import Wire

/// Touches and elements.
extension ClientSession {
    // MARK: Touches

    /// Moves this participant's touch. Without a connection that is forgotten. While the network takes nothing, and until
    /// the room's next tick is near, only the newest position of each room is kept.
    ///
    /// - Returns: whether it was sent or will be.
    @discardableResult
    public func move(in roomID: String, to touch: Touch) -> Bool {
        guard isJoined(roomID), touch.x.isFinite, touch.y.isFinite, let engine else { return false }
        var argument: [UInt8] = []
        swap(&argument, &scratch)
        argument.removeAll(keepingCapacity: true)
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("roomId", roomID)
            json.member("x", touch.x)
            json.member("y", touch.y)
            if let elementID = touch.elementID { json.member("elementId", elementID) }
            json.endObject()
        }
        if engine.isBackedUp || wait(for: roomID) > 0 {
            touches[roomID] = argument
            armTouches()
        } else {
            // One that waits must not follow the newer one. A room that has become quiet takes each at once.
            touches[roomID] = nil
            sendTouch(roomID, argument)
        }
        swap(&argument, &scratch)
        return true
    }

    /// Ends this participant's touch, after the last position.
    public func endTouch(in roomID: String) {
        guard isJoined(roomID) else { return }
        if let argument = touches.removeValue(forKey: roomID) { sendTouch(roomID, argument) }
        emit("touch:end", Self.argument(roomID))
    }

    /// Sends the positions whose time has come.
    func sendTouches() {
        guard let engine, !engine.isBackedUp else { return }
        for (roomID, argument) in touches where wait(for: roomID) <= 0 {
            touches[roomID] = nil
            sendTouch(roomID, argument)
        }
        armTouches()
    }

    private func sendTouch(_ roomID: String, _ argument: [UInt8]) {
        let now = loop.now
        guard paces[roomID]?.sent(at: now) == true else { return emit("touch:move", argument) }
        emit("touch:move", argument) { [weak self] result in
            guard let self, case .success = result else { return }
            self.paces[roomID]?.answered(after: self.loop.now - now)
        }
    }

    private func wait(for roomID: String) -> Int64 { paces[roomID]?.wait(at: loop.now) ?? 0 }

    private func armTouches() {
        guard let next = touches.keys.map({ wait(for: $0) }).min(), next > 0 else { return }
        loop.arm(touchTimer, in: next)
    }

    // MARK: Elements

    public func create(
        _ element: NewElement, in roomID: String, _ done: @escaping (Result<Element, ClientError>) -> Void
    ) {
        let key = Self.randomKey()
        guard let argument = element.argument(roomID: roomID, clientID: key) else { return done(Self.notFinite()) }
        enqueue(Operation(kind: .create, roomID: roomID, key: key, argument: argument) { done(Self.element($0)) })
    }

    /// - Parameters:
    ///   - version: changes the element only if it has this version still.
    ///   - baseVersion: the version whose content was changed: the server merges the content with what others wrote since.
    public func update(
        _ elementID: String, _ change: ElementChange, in roomID: String, ifVersion version: Int? = nil,
        baseVersion: Int? = nil,
        _ done: @escaping (Result<Element, ClientError>) -> Void
    ) {
        guard
            let argument = change.argument(
                roomID: roomID, elementID: elementID, version: version, baseVersion: baseVersion)
        else { return done(Self.notFinite()) }
        enqueue(
            Operation(kind: .update(version: version), roomID: roomID, key: elementID, argument: argument) {
                done(Self.element($0))
            })
    }

    /// - Parameter version: deletes the element only if it has this version still.
    public func delete(
        _ elementID: String, in roomID: String, ifVersion version: Int? = nil,
        _ done: @escaping (Result<Void, ClientError>) -> Void
    ) {
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("roomId", roomID)
            json.member("elementId", elementID)
            if let version { json.member("version", version) }
            json.endObject()
        }
        enqueue(
            Operation(kind: .delete, roomID: roomID, key: elementID, argument: argument) { done($0.map { _ in () }) })
    }

    /// Operations that wait for the connection or for their answers.
    public var operationCount: Int { operations.count }

    func enqueue(_ operation: Operation) {
        guard state != .closed else { return operation.done(.failure(.closed)) }
        guard rooms.contains(operation.roomID) else {
            return operation.done(.failure(.badArgument("the room \(operation.roomID) has not been joined")))
        }
        // At the turn's end: it may use the session.
        let told = Operation(
            kind: operation.kind, roomID: operation.roomID, key: operation.key, argument: operation.argument
        ) { [loop] result in loop.atTurnEnd { operation.done(result) } }
        guard operations.append(told) else { return operation.done(.failure(.queueFull)) }
        sendOperations()
    }

    func sendOperations() {
        guard isConnected, !operationsArePaused else { return }
        while let (number, operation) = operations.take(whereRoom: rooms.isJoined) {
            emit(operation.kind.event, operation.argument) { [weak self] in
                self?.answered(number, operation, $0)
            }
        }
    }

    private func answered(_ number: UInt64, _ operation: Operation, _ result: Result<Answer, ClientError>) {
        let verdict = operations.answered(number, result, own: rooms.ownID(in: operation.roomID))
        if verdict == .finished { return sendOperations() }
        switch result {
        case .failure(.timedOut): interrupt(reason: "no answer in time")
        case .failure(.refused(let refusal)): pauseOperations(refusal.retryAfterMilliseconds ?? 1_000)
        default: break
        }
    }

    private func pauseOperations(_ milliseconds: Int) {
        operationsArePaused = true
        loop.arm(operationTimer, in: Int64(min(max(milliseconds, 20), 60_000)))
    }

    func resumeOperations() {
        operationsArePaused = false
        sendOperations()
    }

    private static func element(_ result: Result<Answer, ClientError>) -> Result<Element, ClientError> {
        result.flatMap { answer in
            answer.element.map { .success($0) } ?? .failure(.cannotConnect("an answer without its element"))
        }
    }

    private static func notFinite<Value>() -> Result<Value, ClientError> {
        .failure(.badArgument("numbers are finite"))
    }

    static func randomKey() -> String {
        String(UInt64.random(in: 0...UInt64.max), radix: 36) + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }
}
