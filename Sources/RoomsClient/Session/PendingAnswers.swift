/// Events without their answers yet, each with its deadline.
struct PendingAnswers {
    typealias Done = (Result<Answer, ClientError>) -> Void

    private var waiting: [UInt64: (deadline: Int64, done: Done)] = [:]
    private var nextID: UInt64 = 0

    var isEmpty: Bool { waiting.isEmpty }
    var nextDeadline: Int64? { waiting.values.lazy.map(\.deadline).min() }

    /// The id under which the answer will come.
    mutating func add(until deadline: Int64, _ done: @escaping Done) -> UInt64 {
        nextID += 1
        waiting[nextID] = (deadline, done)
        return nextID
    }

    mutating func take(_ id: UInt64) -> Done? { waiting.removeValue(forKey: id)?.done }

    mutating func takeExpired(at now: Int64) -> [Done] {
        let expired = waiting.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        for item in expired { waiting[item.key] = nil }
        return expired.map(\.value.done)
    }

    mutating func takeAll() -> [Done] {
        let all = waiting.sorted { $0.key < $1.key }
        waiting = [:]
        return all.map(\.value.done)
    }
}
