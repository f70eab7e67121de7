import Media
import Relay
import Threads
import Transport

/// Uploaded files, as all shards of a server use them: where they are, who works on them, and how many at a time.
public final class MediaService: Sendable {
    let library: MediaLibrary
    /// Whether there is a program that works on files. Those that are there are served without one.
    let takesUploads: Bool
    /// Files that are about to be deleted.
    public let condemned: CondemnedMedia
    let seats: UploadSeats
    /// What waits for disks.
    let disks: WorkerThreads
    /// As many as files are worked on at a time, each by a process of its own.
    private let works: WorkerThreads
    private let isStopping = Locked(false)
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - directory: where the files are. It is made if it is not there.
    ///   - executable: the program `rooms-media`.
    ///   - report: told why files cannot be kept, for whoever runs the server.
    public init(
        directory: String, executable: String?, limits: MediaLimits, report: @escaping @Sendable (String) -> Void
    ) throws(MediaError) {
        let store = try DirectoryMediaStore(directory: directory, freeBytesMin: limits.diskFreeBytesMin)
        let worker = MediaWorker(executable: executable ?? "", limits: limits)
        library = MediaLibrary(store: store, worker: worker, limits: limits)
        takesUploads = executable != nil
        condemned = CondemnedMedia()
        seats = UploadSeats()
        disks = WorkerThreads(count: 4)
        works = WorkerThreads(count: 2, jobsMax: UploadSeats.uploadsMax)
        self.report = report
    }

    deinit {
        stop()
    }

    /// Waits for what is being worked on; what waits for that is not begun any more. To be called when nothing more comes.
    public func stop() {
        isStopping.withLock { $0 = true }
        works.stop()
        disks.stop()
    }

    // MARK: Off the loops

    /// Judges, cleans and keeps a file.
    func admit(_ file: StagedFile, _ kind: MediaKind) async throws(APIError) -> StoredMedia {
        let library = library
        let isStopping = isStopping
        let result = await run(on: works) { () -> Result<StoredMedia, MediaError>? in
            if isStopping.withLock({ $0 }) { return nil }
            return Result { () throws(MediaError) in try library.admit(file, kind) }
        }
        return try get(result ?? nil)
    }

    func open(_ key: MediaKey, size: Int?) async throws(APIError) -> OpenFile? {
        let library = library
        let result = await run(on: disks) {
            Result { () throws(MediaError) in try library.open(key, size: size).flatMap { OpenFile(descriptor: $0) } }
        }
        return try get(result)
    }

    func delete(_ keys: [MediaKey]) async {
        let store = library.store
        _ = await run(on: disks) {
            for key in keys { try? store.delete(key) }
        }
    }

    /// The keys of files that were published before a time.
    func keys(publishedBefore time: Int64) async -> [MediaKey] {
        let store = library.store
        return await run(on: disks) {
            var keys: [MediaKey] = []
            try? store.forEach { key, _, published in
                if Int64(published) < time { keys.append(key) }
            }
            return keys
        } ?? []
    }

    /// Nil when the threads take nothing more.
    private func run<Value: Sendable>(
        on threads: WorkerThreads, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let isTaken = threads.submit { continuation.resume(returning: work()) }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    private func get<Value>(_ result: Result<Value, MediaError>?) throws(APIError) -> Value {
        guard let result else { throw .unavailable("Too many files are being worked on; try again in a moment.") }
        do throws(MediaError) {
            return try result.get()
        } catch {
            throw fault(error)
        }
    }

    /// What a client is told. What only the operator may know is reported.
    func fault(_ error: MediaError) -> APIError {
        switch error {
        case .storeFailed(let reason), .workerFailed(let reason): report(reason)
        case .storeFull: report("the disk has too little room left")
        default: break
        }
        return APIError(error)
    }
}
