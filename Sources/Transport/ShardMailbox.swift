import CLibWebSockets
import Threads

/// What goes to a shard through its mailbox: a value that says what is to be done there.
public protocol ShardItem: Sendable {
    /// Called once, on the shard's thread.
    func arrive(on shard: Shard)
}

/// How other threads reach a shard: items that arrive on its loop, in the order in which they were posted.
///
/// Bounded; one wake-up per batch. An item that is posted after the shard has stopped is refused.
public final class ShardMailbox: @unchecked Sendable {
    static let itemsMax = 1 << 16

    private struct State {
        var items: [any ShardItem] = []
        var isOpen = false
        var refused = 0
    }

    public let index: Int
    private let state = Locked(State())
    private let wake: UnsafeMutablePointer<uv_async_t>

    init(index: Int) {
        self.index = index
        wake = .allocate(capacity: 1)
        wake.initialize(to: uv_async_t())
    }

    deinit {
        wake.deinitialize(count: 1)
        wake.deallocate()
    }

    /// Answers false, and drops the item, when the shard is not running or has `itemsMax` items waiting.
    @discardableResult
    public func post(_ item: some ShardItem) -> Bool {
        add(item, itemsMax: Self.itemsMax)
    }

    /// Posts what a full box must not refuse, such as the order to stop, or the answer to a question of this shard:
    /// of those there are no more than questions, which are bounded where they are asked.
    ///
    /// Answers false when the shard is not running.
    @discardableResult
    public func insist(_ item: some ShardItem) -> Bool {
        add(item, itemsMax: .max)
    }

    private func add(_ item: some ShardItem, itemsMax: Int) -> Bool {
        state.withLock { state in
            guard state.isOpen, state.items.count < itemsMax else {
                state.refused += 1
                return false
            }
            state.items.append(item)
            if state.items.count == 1 { uv_async_send(wake) }
            return true
        }
    }

    /// Items that wait at this moment, and those that were refused since the start.
    public var counts: (waiting: Int, refused: Int) { state.withLock { ($0.items.count, $0.refused) } }

    // MARK: On the shard's thread

    func open(on loop: UnsafeMutablePointer<uv_loop_t>, shard: Shard) {
        let status = uv_async_init(loop, wake) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Shard>.fromOpaque(data).takeUnretainedValue().takePostedItems()
        }
        precondition(status == 0, "a loop without a wake-up handle: \(status)")
        wake.pointee.data = Unmanaged.passUnretained(shard).toOpaque()
        state.withLock { $0.isOpen = true }
    }

    func takeItems() -> [any ShardItem] {
        state.withLock { state in
            let items = state.items
            state.items = []
            return items
        }
    }

    /// Refuses what comes from now on and answers what was still waiting.
    func close() -> [any ShardItem] {
        let left = state.withLock { state in
            state.isOpen = false
            let items = state.items
            state.items = []
            return items
        }
        wake.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        return left
    }
}
