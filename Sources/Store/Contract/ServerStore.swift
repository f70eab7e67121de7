/// All that a server keeps. What each part promises is held by one suite of tests for every implementation.
package protocol ServerStore: RoomStore, AccountDirectory, RoomCatalog, PushDirectory, PushOutbox, MediaIndex {
    var health: StoreHealth { get }
    /// Has a handler told when the health turns, on a thread of the store.
    func onHealth(_ handler: @escaping @Sendable (StoreHealth) -> Void)
    var counters: StoreCounters { get }
    func close()
}
