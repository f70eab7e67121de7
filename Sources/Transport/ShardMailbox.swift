import CLibWebSockets
import Threads

/// An item for a shard's mailbox: a value with the work to do there.
public protocol ShardItem: Sendable {
    /// Called once, on the shard's thread.
    func arrive(on shard: Shard)
}

/// The way of other threads to a shard: items arrive on its loop, in the order in which they were posted.
///
/// It is bounded, and wakes the loop once per batch. An item that is posted after the shard has stopped is refused.
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

    /// Returns false, and drops the item, when the shard is not running or `itemsMax` items wait.
    @discardableResult
    public func post(_ item: some ShardItem) -> Bool {
        add(item, itemsMax: Self.itemsMax)
    }

    /// Posts an item that a full mailbox must take, such as the order to stop, or the answer to a question of this
    /// shard. Answers are bounded, because questions are bounded at their source.
    ///
    /// Returns false when the shard is not running.
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

    /// Whether the shard has taken all items that were posted before this call.
    public var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

    /// Waiting items, and items that were refused since the start.
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

    /// Refuses later items and returns the waiting ones.
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
