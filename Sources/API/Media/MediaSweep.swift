import Media
import Relay
import Rooms
import Store

/// Deletes files that no element and no profile shows, some time after their upload.
///
/// A file is deleted when two checks, one after the other, have found that nothing shows it. So a client that replaces
/// an element has the time between them. First the file is condemned on all nodes, so that no element can show it from
/// then on. Each node answers with the files that its rooms show and the store does not know yet. Then the store removes
/// the file if still nothing shows it. Only files that the store has removed are deleted.
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

    /// Checks again and again, until the task is cancelled.
    package func run(now: @Sendable () -> Int64) async {
        var seen: Set<String> = []
        var walkAt = Int64.min
        while !Task.isCancelled {
            let time = now()
            let isMore = await look(&seen, at: time)
            if time >= walkAt {
                await deleteStrays(at: time)
                await deleteStrayChunks()
                walkAt = time + 86_400
            }
            try? await Task.sleep(for: isMore ? .seconds(1) : .seconds(min(max(graceSeconds / 2, 1), 3_600)))
        }
    }

    /// Returns whether there is more to do.
    func look(_ seen: inout Set<String>, at now: Int64) async -> Bool {
        let before = now - graceSeconds
        await deleteAbandoned(at: now)
        let found = await answer { $0.orphanedMedia(createdBefore: before, limit: Self.keysPerLook, then: $1) }
        let orphans = Set((found ?? []).map(\.key))
        let twice = orphans.intersection(seen)
        seen = orphans.subtracting(twice)
        await delete(twice)
        return orphans.count == Self.keysPerLook
    }

    /// Deletes the chunks of uploads that have taken too long.
    private func deleteAbandoned(at now: Int64) async {
        let found = await answer { $0.abandonedUploads(at: now, limit: Self.keysPerLook, then: $1) } ?? []
        guard !found.isEmpty else { return }
        // The rows go last: as long as they are there, the chunks are found again.
        await media.deleteChunks(of: found)
        _ = await answer { $0.removeUploads(found, then: $1) }
    }

    /// Deletes chunks of uploads that are complete or unknown: the server ended before it could.
    private func deleteStrayChunks() async {
        for upload in await media.uploadsWithChunks() {
            if let isOpen = await answer({ $0.isOpenUpload(upload, then: $1) }), !isOpen {
                await media.deleteChunks(of: [upload])
            }
        }
    }

    private func delete(_ keys: Set<String>) async {
        guard !keys.isEmpty else { return }
        // A shard or a node that does not answer may show any of them.
        if let shown = await rooms.condemn(keys) {
            let removed = await answer { $0.removeOrphanedMedia(keys.subtracting(shown).sorted(), then: $1) }
            await media.delete((removed ?? []).compactMap { MediaKey($0) })
        }
        rooms.pardon()
    }

    /// Deletes files that the store does not know: the server ended between writing the file and storing it.
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
