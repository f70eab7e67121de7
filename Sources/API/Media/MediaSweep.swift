import Media
import Relay
import Rooms
import Store

/// Deletes files that no element and no person shows, some time after they were uploaded.
///
/// A file goes when two looks, one after the other, have found that nothing shows it: whoever moves an element by making it
/// anew has the time between them. Before it goes it is condemned, so that no element can show it from then on; then the
/// rooms are asked for what they have not stored yet; then the store takes it out if still nothing shows it, and only what
/// the store has taken out is deleted.
package final class MediaSweep: Sendable {
    private static let keysPerLook = 500

    private let media: MediaService
    private let store: any ServerStore
    private let rooms: RoomCommands
    private let graceSeconds: Int64

    package init(_ media: MediaService, _ store: any ServerStore, _ rooms: RoomCommands, graceSeconds: Int) {
        self.media = media
        self.store = store
        self.rooms = rooms
        self.graceSeconds = Int64(graceSeconds)
    }

    /// Looks again and again, until the task is cancelled.
    package func run(now: @Sendable () -> Int64) async {
        var seen: Set<String> = []
        var walkAt = Int64.min
        while !Task.isCancelled {
            let time = now()
            let isMore = await look(&seen, at: time)
            if time >= walkAt {
                await deleteStrays(at: time)
                walkAt = time + 86_400
            }
            try? await Task.sleep(for: isMore ? .seconds(1) : .seconds(min(max(graceSeconds / 2, 1), 3_600)))
        }
    }

    /// Answers whether there is more to do.
    func look(_ seen: inout Set<String>, at now: Int64) async -> Bool {
        let before = now - graceSeconds
        let found = await answer { $0.orphanedMedia(createdBefore: before, limit: Self.keysPerLook, then: $1) }
        let orphans = Set((found ?? []).map(\.key))
        let twice = orphans.intersection(seen)
        seen = orphans.subtracting(twice)
        await delete(twice)
        return orphans.count == Self.keysPerLook
    }

    private func delete(_ keys: Set<String>) async {
        guard !keys.isEmpty else { return }
        media.condemned.add(keys)
        defer { media.condemned.remove(keys) }
        let shown = await withCheckedContinuation { continuation in
            rooms.mediaNotStored { continuation.resume(returning: $0) }
        }
        // A shard that does not answer may have any of them.
        guard let shown else { return }
        let removed = await answer { $0.removeOrphanedMedia(keys.subtracting(shown).sorted(), then: $1) }
        await media.delete((removed ?? []).compactMap { MediaKey($0) })
    }

    /// Files of which the store knows nothing: the server ended between the one and the other.
    func deleteStrays(at now: Int64) async {
        var strays: [MediaKey] = []
        for key in await media.keys(publishedBefore: now - graceSeconds) {
            let record = await answer { $0.media(key.description, then: $1) }
            if case .some(.none) = record { strays.append(key) }
        }
        await media.delete(strays)
    }

    /// Nil when the store fails.
    private func answer<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            question(store) { continuation.resume(returning: try? $0.get()) }
        }
    }
}
