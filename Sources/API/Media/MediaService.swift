import Media
import Relay
import Rooms
import Store
import Threads
import Transport
import Wire

/// Uploaded files, for all shards of a server: their directory, the worker for them, and the bounds on their number.
package final class MediaService: Sendable {
    let library: MediaLibrary
    /// Whether there is a worker. Without one, existing files are still served.
    package let hasWorker: Bool
    private let isRefusing = Locked(false)
    /// Files that are about to be deleted.
    package let condemned: CondemnedMedia
    /// Uploads in progress, by user. Each may take as much of the disk as the largest file.
    let seats: Seats<ExactText>
    /// Uploads in chunks that are being completed, by their ids.
    let completions = SharedWork<Result<[MediaRecord], APIError>>()
    /// Files that are being sent, by the client's address; recordings, too.
    let downloads: Seats<IPAddress>
    /// Threads that wait for the store.
    let disks: WorkerThreads
    /// One thread for each file that is processed at a time, in a process of its own.
    private let works: WorkerThreads
    private let isStopping = Locked(false)
    private let report: @Sendable (String) -> Void

    private static let uploadsMax = 64
    private static let uploadsOfPersonMax = 4
    private static let worksMax = 2

    /// The descriptors that files need: each download and upload needs one, and each file in processing also one for
    /// its results.
    package static func descriptorsMax(downloads: Int) -> Int { downloads + uploadsMax + worksMax * 8 }

    /// - Parameters:
    ///   - waitersMax: how many threads wait for the store.
    ///   - executable: the program `rooms-media`.
    ///   - downloadsMax: how many files may be sent at a time. One address may have a quarter of them.
    ///   - report: called with the reason when files cannot be stored, for the operator.
    package init(
        store: any MediaStore, waitersMax: Int, executable: String?, limits: MediaLimits, downloadsMax: Int,
        report: @escaping @Sendable (String) -> Void
    ) throws(MediaError) {
        let isStopping = isStopping
        let worker = MediaWorker(executable: executable ?? "", limits: limits) { isStopping.withLock { $0 } }
        library = MediaLibrary(store: store, worker: worker, limits: limits)
        hasWorker = executable != nil
        condemned = CondemnedMedia()
        seats = Seats(most: Self.uploadsMax, ofOwnerMax: Self.uploadsOfPersonMax)
        downloads = .ofDownloads(downloadsMax)
        do throws(TransportError) {
            disks = try WorkerThreads(count: waitersMax)
        } catch {
            throw .storeFailed(error.description)
        }
        do throws(TransportError) {
            works = try WorkerThreads(count: Self.worksMax, jobsMax: Self.uploadsMax)
        } catch {
            disks.stop()
            throw .workerFailed(error.description)
        }
        self.report = report
    }

    deinit {
        stop()
    }

    /// Accepts no more uploads: they are answered 503. Those in progress go on.
    package func refuseUploads() { isRefusing.withLock { $0 = true } }

    /// Throws while the server ends, or hands over to its successor: whatever takes a place holds that up.
    func checkTakesUploads() throws(APIError) {
        guard !isRefusing.withLock({ $0 }) else {
            throw .unavailable("This server accepts no uploads now; try again in a moment.")
        }
    }

    /// A place for an upload of a user, which is taken from its first byte to its answer.
    func seat(of user: String?) throws(APIError) -> Seats<ExactText>.Seat {
        try checkTakesUploads()
        guard let seat = seats.take(user.map { ExactText($0) }) else {
            throw .unavailable("Too many files are being uploaded; try again in a moment.")
        }
        return seat
    }

    /// Uploads in progress, from their first byte to their answer.
    package var uploadCount: Int { seats.count }

    /// Stops the work on files; their clients get no answer any more. Call it when no more requests come.
    package func stop() {
        isStopping.withLock { $0 = true }
        library.store.stop()
        works.stop()
        disks.stop()
    }

    // MARK: Off the loops

    /// Checks, converts and stores a file.
    func admit(_ file: StagedFile, _ kind: MediaKind) async throws(APIError) -> StoredMedia {
        let library = library
        let isStopping = isStopping
        let result = await run(on: works) { () -> Result<StoredMedia, MediaError>? in
            if isStopping.withLock({ $0 }) { return nil }
            let result = Result { () throws(MediaError) in try library.admit(file, kind) }
            // While the service stops, a failure is not the fault of the file or the worker.
            return isStopping.withLock { $0 } ? nil : result
        }
        return try get(result ?? nil)
    }

    /// Puts the chunks of an upload together, and admits the whole.
    func admit(chunksOf upload: Upload, _ kind: MediaKind) async throws(APIError) -> StoredMedia {
        let library = library
        let isStopping = isStopping
        let result = await run(on: works) { () -> Result<StoredMedia, MediaError>? in
            if isStopping.withLock({ $0 }) { return nil }
            let result = Result { () throws(MediaError) in
                let whole = try library.assemble(
                    upload.id, byteCount: Int(upload.byteCount), chunkBytes: Int(upload.chunkBytes))
                return try library.admit(whole, kind, bytesMax: library.limits.chunkedBytesMax)
            }
            return isStopping.withLock { $0 } ? nil : result
        }
        return try get(result ?? nil)
    }

    /// Keeps a chunk of an upload. The first one is refused at once when it begins no file of this kind.
    func keepChunk(_ file: StagedFile, number: Int, of upload: String, _ kind: MediaKind) async throws(APIError) {
        let library = library
        let result = await run(on: disks) {
            Result { () throws(MediaError) in
                if number == 1 { try library.format(of: file, kind) }
                try library.store.keepChunk(file, number: number, of: upload)
            }
        }
        try get(result)
    }

    func deleteChunks(of uploads: [String]) async {
        let (store, isStopping, report) = (library.store, isStopping, report)
        _ = await run(on: disks) {
            for upload in uploads where !isStopping.withLock({ $0 }) {
                do throws(MediaError) { try store.deleteChunks(of: upload) } catch {
                    report("chunks were not deleted: \(error)")
                }
            }
        }
    }

    func uploadsWithChunks() async -> [String] {
        let store = library.store
        return await run(on: disks) { (try? store.uploadsWithChunks()) ?? [] } ?? []
    }

    /// Opens a file for an answer to a client of this address; nil when there is no such file.
    func open(_ key: MediaKey, size: Int?, for address: IPAddress?) async throws(APIError) -> OpenFile? {
        guard let seat = downloads.take(address) else {
            throw .unavailable("Too many files are being sent; try again in a moment.")
        }
        let library = library
        let result = await run(on: disks) {
            Result { () throws(MediaError) in
                try library.open(key, size: size).flatMap { OpenFile(descriptor: $0, seat: seat) }
            }
        }
        return try get(result)
    }

    /// Has the store keep what is known of new files, and deletes those that it refuses. When the store fails, it may have
    /// kept them nevertheless; if it has not, they are strays, which the sweep deletes within a day.
    func keep<Value>(
        _ keys: [MediaKey], _ store: () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        do throws(APIError) {
            return try await store()
        } catch {
            if !error.mayBeDone { await delete(keys) }
            throw error
        }
    }

    func delete(_ keys: [MediaKey]) async {
        let (store, isStopping, report) = (library.store, isStopping, report)
        _ = await run(on: disks) {
            for key in keys where !isStopping.withLock({ $0 }) {
                do throws(MediaError) { try store.delete(key) } catch { report("a file was not deleted: \(error)") }
            }
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

    /// Nil when the threads take no more jobs.
    private func run<Value: Sendable>(
        on threads: WorkerThreads, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let isStopping = isStopping
            let isTaken = threads.submit { continuation.resume(returning: isStopping.withLock { $0 } ? nil : work()) }
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

    /// The error for the client. Details for the operator are reported.
    func fault(_ error: MediaError) -> APIError {
        switch error {
        case .storeFailed(let reason), .workerFailed(let reason): report(reason)
        case .unfinished(let how): report("the process that works on files has not done its work: \(how)")
        case .unsealed: report("rooms-media could not seal itself off")
        case .storeFull: report("the disk has too little room left")
        default: break
        }
        var failure = APIError(error)
        failure.file?.service = library.store.serviceName
        return failure
    }
}
