/// Consumes a request's body on another thread, piece by piece, never two pieces at once.
public protocol BodyConsumer: AnyObject, Sendable {
    /// Throws when it wants no more. The error goes to the request's owner.
    func take(_ bytes: [UInt8]) throws
    /// The body is complete. It is not called when the client vanished or sent too much: then the consumer is just
    /// released.
    func finish() throws
}

/// Why a body could not be handed to its consumer.
public enum BodyPipeError: Error, Sendable {
    /// The threads have too many waiting jobs.
    case busy
}

extension HTTPExchange {
    /// Passes the body to a consumer, piece by piece, on other threads; up to `max` bytes (413 beyond).
    ///
    /// While the consumer is behind, nothing more is read from the client. `done` is called once, on the shard's
    /// thread, unless the connection ends before. After a failure the rest of the body is not read.
    public func streamBody(
        max: Int, to consumer: any BodyConsumer, on threads: WorkerThreads,
        done: @escaping (HTTPExchange, (any Error)?) -> Void
    ) {
        guard let shard else { return }
        let pipe = BodyPipe(self, consumer, threads, shard.mailboxes[shard.index], done)
        streamBody(max: max) { bytes in
            pipe.received(bytes)
        } done: { _ in
            pipe.ended()
        }
    }
}

/// Connects a loop that receives a body with the thread that consumes it.
///
/// It belongs to the loop's thread. A job holds it on its way to the other thread and back, but touches only the
/// consumer.
private final class BodyPipe {
    /// Bytes that may wait while a piece is being consumed. Past it: reading pauses.
    private static let waitingBytesMax = 256 << 10

    private weak var exchange: HTTPExchange?
    private let consumer: any BodyConsumer
    private let threads: WorkerThreads
    private let mailbox: ShardMailbox
    private var done: ((HTTPExchange, (any Error)?) -> Void)?
    private var waiting: [UInt8] = []
    private var isTaking = false
    private var hasEnded = false
    private var hasFinished = false

    init(
        _ exchange: HTTPExchange, _ consumer: any BodyConsumer, _ threads: WorkerThreads, _ mailbox: ShardMailbox,
        _ done: @escaping (HTTPExchange, (any Error)?) -> Void
    ) {
        self.exchange = exchange
        self.consumer = consumer
        self.threads = threads
        self.mailbox = mailbox
        self.done = done
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        guard done != nil else { return }
        waiting.append(contentsOf: bytes)
        if waiting.count >= Self.waitingBytesMax { exchange?.pauseBody() }
        takeMore()
    }

    func ended() {
        hasEnded = true
        takeMore()
    }

    private func takeMore() {
        guard !isTaking, done != nil else { return }
        if !waiting.isEmpty {
            let bytes = waiting
            waiting = []
            run { try $0.take(bytes) }
            exchange?.resumeBody()
        } else if hasFinished {
            complete(nil)
        } else if hasEnded {
            hasFinished = true
            run { try $0.finish() }
        }
    }

    private func run(_ work: @escaping @Sendable (any BodyConsumer) throws -> Void) {
        isTaking = true
        let parcel = PipeParcel(pipe: self)
        let isSubmitted = threads.submit { [consumer, mailbox] in
            var failure: (any Error)?
            do { try work(consumer) } catch { failure = error }
            mailbox.insist(PipeAnswer(parcel: parcel, failure: failure))
        }
        if !isSubmitted { complete(BodyPipeError.busy) }
    }

    fileprivate func taken(_ failure: (any Error)?) {
        isTaking = false
        if let failure { complete(failure) } else { takeMore() }
    }

    private func complete(_ failure: (any Error)?) {
        let done = done
        self.done = nil
        waiting = []
        if let exchange { done?(exchange, failure) }
    }
}

/// Carries a pipe to the worker thread and back. Only the shard's thread looks into it.
private struct PipeParcel: @unchecked Sendable {
    let pipe: BodyPipe
}

/// The consumer's answer to a piece.
private struct PipeAnswer: ShardItem {
    let parcel: PipeParcel
    let failure: (any Error)?

    func arrive(on shard: Shard) {
        parcel.pipe.taken(failure)
    }
}
