import Rooms
import Store
import Threads
import Transport

/// Which files elements show of which the store does not know yet.
extension RoomCommands {
    /// Calls back with the keys of all rooms, or with nil when a shard could not be asked. Whatever is changed afterwards
    /// has seen what was condemned before.
    public func mediaNotStored(_ done: @escaping @Sendable (Set<String>?) -> Void) {
        let gathered = Locked<(keys: Set<String>?, missing: Int)>(([], shardCount))
        for shard in 0..<shardCount {
            let reply = Reply<Set<String>?>(otherwise: nil) { keys in
                let result = gathered.withLock { state -> Set<String>?? in
                    if let all = state.keys, let keys {
                        state.keys = all.union(keys)
                    } else {
                        state.keys = nil
                    }
                    state.missing -= 1
                    return state.missing == 0 ? .some(state.keys) : nil
                }
                if let result { done(result) }
            }
            post(toShard: shard) { reply.give($0.mediaNotStored()) }
        }
    }
}

extension Relay {
    fileprivate func mediaNotStored() -> Set<String> {
        var keys: Set<String> = []
        for home in Array(homes.values) + settling.values {
            keys.formUnion(home.journal?.backlog.media ?? [])
            for record in home.room.records {
                switch record.effect {
                case .created(let element, _), .updated(let element): keys.formUnion(hub.mediaOf(element.values))
                default: break
                }
            }
        }
        return keys
    }
}
