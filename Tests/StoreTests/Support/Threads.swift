import CFaultyDisk
import Testing
import Threads

@testable import Store

/// Holds a thread until it is opened.
final class Gate: Sendable {
    private let isOpen = Monitor(false)

    func open() {
        isOpen.withLock { $0 = true }
        isOpen.notify()
    }

    func wait() {
        isOpen.wait { $0 ? .done(()) : .again(at: nil) }
    }
}

/// How a store's health has turned.
final class Turns: Sendable {
    private let turns = Monitor<[StoreHealth]>([])

    func add(_ health: StoreHealth) {
        turns.withLock { $0.append(health) }
    }

    var all: [StoreHealth] { turns.withLock { $0 } }
}

/// Runs a body on a thread without root's rights to files.
func asNobody<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let result = Monitor<Result<Value, any Error>?>(nil)
    let thread = try #require(
        SystemThread {
            faulty_disk_be_nobody()
            let value = Result { try body() }
            result.withLock { $0 = value }
        })
    thread.join()
    return try #require(result.withLock { $0 }).get()
}
