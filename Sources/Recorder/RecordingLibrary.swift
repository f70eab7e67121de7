import Glibc
import Recordings
import Relay
import Store
import Threads
import Transport

/// The recordings of a server: what writes them, their files and their rows.
package final class RecordingLibrary: Sendable {
    /// In the depot. A second is how long an end waits at most before it is sent.
    private static let sendSeconds = 1
    /// How long a stop of the server waits for the depot.
    private static let lastSendsMilliseconds: Int64 = 5_000
    private static let leftFilesPerStart = 10_000
    /// Empty files without a row that are younger are being made.
    private static let strayFileSeconds = 3_600
    private static let sweepSeconds = 30
    private static let strayFilesPerLook = 1_000

    package let writer: RecordingWriter
    package var totals: RecordingTotals { writer.totals }
    private let store: any RecordingDirectory
    /// Threads that wait for the disk.
    package let disks: WorkerThreads
    private let exchange: RecordingExchange?
    /// Nil where recordings are in a depot: several objects cannot take the place of others at once.
    private let old: OldRecordings?
    /// One thread makes old recordings clean.
    let cleaning: WorkerThreads
    private let tasks = Locked<[Task<Void, Never>]>([])
    let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - node: this server; with the number 0 if it is not part of a cluster.
    ///   - depot: where servers keep recordings that have no directory in common; nil where they have one.
    ///   - patterns: the rooms that the operator wants recorded.
    ///   - report: called with what the operator should know.
    package init(
        _ folder: RecordingFolder, _ store: any RecordingDirectory, writer node: ClusterNode,
        depot: (any RecordingDepot)? = nil, limits: RecordingLimits, patterns: [RoomPattern],
        report: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        do throws(RecordingFault) {
            exchange = try depot.map { depot throws(RecordingFault) in try RecordingExchange(folder, depot) }
        } catch {
            throw TransportError(description: "recordings: \(error)")
        }
        writer = RecordingWriter(
            folder, store, writer: node, exchange: exchange, limits: limits, patterns: patterns, report: report)
        (self.store, self.report) = (store, report)
        old = depot == nil ? OldRecordings(in: folder) : nil
        // The first reader of the metrics finds it, too.
        writer.totals.count { $0.freeBytes = folder.freeBytes }
        // A disk answers sooner than a depot.
        disks = try WorkerThreads(count: depot == nil ? 2 : 8)
        do throws(TransportError) {
            cleaning = try WorkerThreads(count: 1)
        } catch {
            disks.stop()
            throw error
        }
        guard writer.start() else {
            disks.stop()
            cleaning.stop()
            throw TransportError(description: "no thread could be started to write recordings")
        }
        var started = [Task.detached(priority: .background) { [self] in await run() }]
        if let exchange { started.append(Task.detached(priority: .background) { [self] in await send(exchange) }) }
        if let old { started.append(Task.detached(priority: .background) { [self] in await clean(old) }) }
        tasks.withLock { [started] in $0 = started }
    }

    /// Ends what runs. The rooms have ended; the store is open.
    package func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        writer.stop()
        if let exchange { sendLast(exchange) }
        disks.stop()
        old?.stop()
        cleaning.stop()
    }

    // MARK: Files

    /// Opens a file for an answer, up to its last whole block; nil when it is not there. One of an earlier version is given when it
    /// is clean, and so is never given from a depot.
    package func open(
        _ recording: Recording, seat: any AnyObject & Sendable
    ) async -> Result<OpenFile?, RecordingFault> {
        let (folder, exchange) = (writer.folder, exchange)
        let opened = await onDisk {
            Result { () throws(RecordingFault) -> OpenFile? in
                var found = try folder.open(recording)
                if found == nil { found = try exchange?.open(recording) }
                guard let found else { return nil }
                let file = OpenFile(descriptor: found.descriptor, bytesMax: found.byteCount, seat: seat)
                guard try RecordingReader.isClean(recording.id, found.descriptor) else { throw .notClean(recording.id) }
                return file
            }
        }
        switch opened {
        case .failure(.notClean(let id)):
            guard let old else { return .success(nil) }
            old.want(id)
        case .failure(let fault): report("\(fault)")
        case .success, nil: break
        }
        return opened ?? .success(nil)
    }

    @discardableResult
    private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await run(on: disks, work)
    }

    func run<Value: Sendable>(on threads: WorkerThreads, _ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let isTaken = threads.submit { continuation.resume(returning: work()) }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    // MARK: Looking after them

    /// Settles recordings whose servers have ended, and deletes what is over the bounds, again and again.
    private func run() async {
        var walkAt: Int64 = 0
        var failed: Set<String> = []
        while !Task.isCancelled {
            await measureDisk()
            await settleStrays()
            failed = await deleteDoomed(last: failed)
            if Clock.unixSeconds() >= walkAt {
                await deleteStrayFiles()
                let before = Int(Clock.unixSeconds()) - RecordingExchange.copySeconds
                _ = await onDisk { [exchange] in exchange?.removeCopies(usedBefore: before) }
                walkAt = Clock.unixSeconds() + Int64(Self.strayFileSeconds)
            }
            try? await Task.sleep(for: .seconds(Self.sweepSeconds))
        }
    }

    // MARK: The depot

    private func send(_ exchange: RecordingExchange) async {
        let folder = writer.folder
        var left = await onDisk { folder.ids(most: Self.leftFilesPerStart) { $0.st_size > 0 } } ?? []
        var takesAt: Int64 = 0
        var isTold = false
        while !Task.isCancelled {
            if !left.isEmpty, Clock.milliseconds() >= takesAt {
                left = await takeLeftFiles(left, exchange)
                takesAt = Clock.milliseconds() + Int64(Self.sweepSeconds * 1_000)
            }
            for id in exchange.due(at: Clock.milliseconds()) {
                let sent = await onDisk { Result { () throws(RecordingFault) in try exchange.send(id) } }
                guard case .failure(let fault) = sent else {
                    isTold = false
                    if case .success(let whole?) = sent { await settle(id, whole.size, whole.end, exchange) }
                    continue
                }
                if !isTold { report("a recording cannot be sent: \(fault)") }
                isTold = true
                // A depot that is away would keep each of them waiting.
                if case .depot = fault { break }
            }
            try? await Task.sleep(for: .seconds(Self.sendSeconds))
        }
    }

    private func settle(
        _ id: String, _ size: RecordingSize, _ end: RecordingExchange.End, _ exchange: RecordingExchange
    ) async {
        let answer = await asked {
            $0.endRecording(
                id, RecordingExtent(size), reason: end.reason, at: end.at, settles: true, then: $1)
        }
        guard let isKept = answer else { return }
        await onDisk { [self] in close(id, isKept: isKept, exchange) }
    }

    /// The store has the end of a recording that was sent. Another node may have deleted what was there of it before.
    private func close(_ id: String, isKept: Bool, _ exchange: RecordingExchange) {
        do throws(RecordingFault) {
            if isKept { try exchange.hasSent(id) } else { try exchange.remove(id) }
        } catch {
            report("\(error)")
        }
    }

    /// A server that has ended may have left files here that it had not sent.
    ///
    /// - Returns: those of which the store does not say yet whether they have rows.
    private func takeLeftFiles(_ ids: [String], _ exchange: RecordingExchange) async -> [String] {
        let node = writer.writer
        for (index, id) in ids.enumerated() {
            guard let answer = await asked({ $0.recording(id, then: $1) }) else { return Array(ids[index...]) }
            guard let recording = answer else {
                // It was deleted at another node. A file without a row stays here: the row may be lost with the store.
                let cleared = await onDisk { Result { () throws(RecordingFault) in try exchange.removeSent(id) } }
                guard case .success = cleared else { return ids[(index + 1)...] + [id] }
                continue
            }
            guard recording.writer != node else { continue }
            let end = RecordingExchange.End(
                reason: recording.reason ?? .interrupted, at: recording.endedAt ?? writer.now)
            exchange.take(id, end: end)
        }
        return []
    }

    /// What the depot does not take in some seconds, the next start sends.
    private func sendLast(_ exchange: RecordingExchange) {
        let deadline = Clock.milliseconds() + Self.lastSendsMilliseconds
        let hasEnded = Monitor(false)
        let thread = SystemThread { [self] in
            sendRest(exchange, until: deadline)
            hasEnded.withLock { $0 = true }
            hasEnded.notify()
        }
        if thread != nil {
            hasEnded.wait { $0 || Clock.milliseconds() >= deadline ? .done(()) : .again(at: deadline) }
        }
        exchange.stop()
        thread?.join()
    }

    private func sendRest(_ exchange: RecordingExchange, until deadline: Int64) {
        for id in exchange.due(at: .max) where Clock.milliseconds() < deadline {
            do throws(RecordingFault) {
                guard let whole = try exchange.send(id) else { continue }
                let answer = Monitor<Bool?>(nil)
                store.endRecording(
                    id, RecordingExtent(whole.size), reason: whole.end.reason, at: whole.end.at, settles: true
                ) { result in
                    guard case .success(let isKept) = result else { return }
                    answer.withLock { $0 = isKept }
                    answer.notify()
                }
                let isKept: Bool? = answer.wait { isKept in
                    isKept != nil || Clock.milliseconds() >= deadline ? .done(isKept) : .again(at: deadline)
                }
                if let isKept { close(id, isKept: isKept, exchange) }
            } catch {
                report("recordings cannot be sent: \(error)")
                if case .depot = error { break }
            }
        }
    }

    private func measureDisk() async {
        let folder = writer.folder
        guard let free = await onDisk({ folder.freeBytes }) else { return }
        totals.count { $0.freeBytes = free }
    }

    /// Gives the recordings of servers that have ended the size that their files have. They end if they run by their rows.
    func settleStrays() async {
        let (folder, now, node, exchange) = (writer.folder, writer.now, writer.writer, exchange)
        for stray in await asked({ $0.strayRecordings(of: node, then: $1) }) ?? [] {
            // What is here is sent first.
            guard await onDisk({ exchange?.hasRest(of: stray.id) ?? false }) == false else { continue }
            let measured = await onDisk {
                exchange.map { try? RecordingExtent($0.size(of: stray.id)) } ?? folder.settledExtent(of: stray)
            }
            guard exchange?.isSending(stray.id) != true, let extent = measured ?? nil else { continue }
            _ = await asked { $0.settleRecording(stray.id, extent, at: now, then: $1) }
        }
    }

    /// Deletes what is to be deleted. The rows go last, so that no file is forgotten.
    ///
    /// - Parameter failed: what could not be deleted before. It comes last, so that it is in nobody's way.
    /// - Returns: what could not be deleted now, or was not tried again.
    private func deleteDoomed(last failed: Set<String>) async -> Set<String> {
        let (bounds, now) = (writer.limits.kept, writer.now)
        guard let doomed = await asked({ $0.doomedRecordings(bounds, at: now, then: $1) }) else { return failed }
        var left = failed.intersection(doomed)
        for id in doomed.filter({ !failed.contains($0) }) + doomed.filter(failed.contains) {
            guard let fault = await deleteNow(id) else {
                left.remove(id)
                continue
            }
            left.insert(id)
            // A depot that is away would keep each of them waiting.
            if case .depot = fault { break }
        }
        return left
    }

    /// Deletes a recording that is doomed. What fails is tried again later. A client does not wait for a depot.
    package func delete(_ id: String) async {
        guard exchange != nil else {
            _ = await deleteNow(id)
            return
        }
        Task.detached { [self] in await deleteNow(id) }
    }

    /// Gives what is in the way.
    private func deleteNow(_ id: String) async -> RecordingFault? {
        let (folder, exchange) = (writer.folder, exchange)
        let removed = await onDisk {
            Result { () throws(RecordingFault) in
                if let exchange { try exchange.remove(id) } else { try folder.remove(id) }
            }
        }
        switch removed {
        case .success:
            _ = await asked { $0.removeRecording(id, then: $1) }
            return nil
        case .failure(let fault): return fault
        case nil: return .depot("the server stops")
        }
    }

    /// Deletes files that a server has begun and no row knows: it was killed before it had made the row. They are empty,
    /// because nothing is written before. Whatever has a byte may be somebody's, for instance a copy, or a file whose row
    /// was lost with the store.
    func deleteStrayFiles() async {
        let folder = writer.folder
        let before = Int(Clock.unixSeconds()) - Self.strayFileSeconds
        let ids =
            await onDisk {
                folder.ids(most: Self.strayFilesPerLook) { $0.st_size == 0 && $0.st_mtim.tv_sec < before }
            } ?? []
        guard !ids.isEmpty, let known = await asked({ $0.knownRecordings(ids, then: $1) }) else { return }
        for id in Set(ids).subtracting(known) { _ = await onDisk { try? folder.remove(id) } }
    }

    /// Nil when the store cannot answer.
    func asked<Value: Sendable>(
        _ question: (any RecordingDirectory, @escaping Answer<Value>) -> Void
    ) async -> Value? {
        let answer: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            question(store) { continuation.resume(returning: $0) }
        }
        return try? answer.get()
    }
}

extension RecordingExtent {
    init(_ size: RecordingSize) {
        self.init(bytes: Int64(size.byteCount), milliseconds: size.milliseconds)
    }
}
