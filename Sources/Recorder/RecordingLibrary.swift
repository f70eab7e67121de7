import Glibc
import Recordings
import Relay
import Store
import Threads
import Transport

/// The recordings of a server: what writes them, their files and their rows.
package final class RecordingLibrary: Sendable {
    /// Empty files without a row that are younger are being made.
    private static let strayFileSeconds = 3_600
    private static let sweepSeconds = 30
    private static let strayFilesPerLook = 1_000

    package let writer: RecordingWriter
    package var totals: RecordingTotals { writer.totals }
    private let store: any RecordingDirectory
    /// Threads that wait for the disk.
    package let disks: WorkerThreads
    private let sweep = Locked<Task<Void, Never>?>(nil)
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - node: this server; with the number 0 if it is not part of a cluster.
    ///   - patterns: the rooms that the operator wants recorded.
    ///   - report: called with what the operator should know.
    package init(
        _ folder: RecordingFolder, _ store: any RecordingDirectory, writer node: ClusterNode,
        limits: RecordingLimits, patterns: [RoomPattern], report: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        writer = RecordingWriter(folder, store, writer: node, limits: limits, patterns: patterns, report: report)
        (self.store, self.report) = (store, report)
        disks = try WorkerThreads(count: 2)
        guard writer.start() else {
            disks.stop()
            throw TransportError(description: "no thread could be started to write recordings")
        }
        let task = Task.detached(priority: .background) { [self] in await run() }
        sweep.withLock { $0 = task }
    }

    /// Ends what runs. The rooms have ended; the store is open.
    package func stop() {
        sweep.withLock { $0.take() }?.cancel()
        writer.stop()
        disks.stop()
    }

    // MARK: Files

    /// Opens a file for an answer, up to its last whole block; nil when it is not there.
    package func open(
        _ recording: Recording, seat: any AnyObject & Sendable
    ) async -> Result<OpenFile?, RecordingFault> {
        let folder = writer.folder
        let opened = await onDisk {
            Result { () throws(RecordingFault) -> OpenFile? in
                guard let file = try folder.open(recording) else { return nil }
                return OpenFile(descriptor: file.descriptor, bytesMax: file.byteCount, seat: seat)
            }
        }
        if case .failure(let fault) = opened { report("\(fault)") }
        return opened ?? .success(nil)
    }

    private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let isTaken = disks.submit { continuation.resume(returning: work()) }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    // MARK: Looking after them

    /// Settles recordings whose servers have ended, and deletes what is over the bounds, again and again.
    private func run() async {
        var walkAt: Int64 = 0
        while !Task.isCancelled {
            await measureDisk()
            await settleStrays()
            await deleteDoomed()
            if Clock.unixSeconds() >= walkAt {
                await deleteStrayFiles()
                walkAt = Clock.unixSeconds() + Int64(Self.strayFileSeconds)
            }
            try? await Task.sleep(for: .seconds(Self.sweepSeconds))
        }
    }

    private func measureDisk() async {
        let folder = writer.folder
        guard let free = await onDisk({ folder.freeBytes }) else { return }
        totals.count { $0.freeBytes = free }
    }

    /// Gives the recordings of servers that have ended the size that their files have. They end if they run by their rows.
    func settleStrays() async {
        let (folder, now, node) = (writer.folder, writer.now, writer.writer)
        for stray in await asked({ $0.strayRecordings(of: node, then: $1) }) ?? [] {
            guard let extent = await onDisk({ folder.settledExtent(of: stray) }) ?? nil else { continue }
            _ = await asked { $0.settleRecording(stray.id, extent, at: now, then: $1) }
        }
    }

    /// Deletes what is to be deleted. The rows go last, so that no file is forgotten.
    package func deleteDoomed() async {
        let (folder, bounds, now) = (writer.folder, writer.limits.kept, writer.now)
        for id in await asked({ $0.doomedRecordings(bounds, at: now, then: $1) }) ?? [] {
            let isGone = await onDisk { (try? folder.remove(id)) != nil }
            if isGone == true { _ = await asked { $0.removeRecording(id, then: $1) } }
        }
    }

    /// Deletes files that a server has begun and no row knows: it was killed before it had made the row. They are empty,
    /// because nothing is written before. Whatever has a byte may be somebody's, for instance a copy, or a file whose row
    /// was lost with the store.
    func deleteStrayFiles() async {
        let folder = writer.folder
        let before = Int(Clock.unixSeconds()) - Self.strayFileSeconds
        let ids = await onDisk { folder.emptyOnes(writtenBefore: before, most: Self.strayFilesPerLook) } ?? []
        guard !ids.isEmpty, let known = await asked({ $0.knownRecordings(ids, then: $1) }) else { return }
        for id in Set(ids).subtracting(known) { _ = await onDisk { try? folder.remove(id) } }
    }

    /// Nil when the store cannot answer.
    private func asked<Value: Sendable>(
        _ question: (any RecordingDirectory, @escaping Answer<Value>) -> Void
    ) async -> Value? {
        let answer: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            question(store) { continuation.resume(returning: $0) }
        }
        return try? answer.get()
    }
}
