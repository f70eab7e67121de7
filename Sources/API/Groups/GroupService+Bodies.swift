import Media
import Rooms
import Transport
import Wire

/// A file that a form will bring, or a chunk of one.
struct FileUpload: Sendable {
    enum Form: Sendable {
        case file(MediaKind, MultipartBoundary)
        case chunk
    }

    let form: Form
    let media: MediaService
}

/// The bodies of requests.
extension GroupService {
    /// The body of a request, as it was received.
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        case file(UploadedFile)
        /// With the JSON beside it.
        case chunk(UploadedFile, [UInt8])

        var isFile: Bool {
            switch self {
            case .file, .chunk: true
            case .none, .bytes: false
            }
        }

        /// What is in it for the handler of a route.
        func content(
            for route: Route<Group>, _ limits: APILimits
        ) throws(APIError) -> (values: FieldValues, object: [UInt8], file: UploadedFile?) {
            switch (self, route.body) {
            case (.bytes(let bytes), _):
                let (values, object) = try route.read(json: bytes, limits)
                return (values, object, nil)
            case (.file(let uploaded), _): return (FieldValues(), [], uploaded)
            case (.chunk(let uploaded, let bytes), .chunk(let fields)):
                return (try FieldValues(bytes, fields, limits), [], uploaded)
            case (.chunk, _), (.none, _): return (FieldValues(), [], nil)
            }
        }
    }

    func receiveBody(_ request: Pending) {
        do throws(APIError) {
            switch request.route.body {
            case .none: received(request, .none)
            case .fields, .object: try receiveJSON(request)
            case .file(let kind): try receiveFile(request, kind)
            case .chunk: try receiveChunk(request)
            }
        } catch {
            refuse(request, error)
        }
    }

    // MARK: JSON

    private func receiveJSON(_ request: Pending) throws(APIError) {
        let head = request.exchange.head
        if let type = head.headers.first(named: "Content-Type"), !Self.isJSON(type) {
            throw APIError(415, .validation, "The body must be JSON, with Content-Type: application/json.")
        }
        let most = request.route.bodyBytesMax ?? group.limits.bodyBytesMax
        let isCompressed = try isCompressed(head)
        switch head.body {
        case .none: throw .malformed("A JSON body is needed.")
        case .length(let length) where length > most: throw Self.tooLarge(most)
        case .length where isCompressed, .chunked where isCompressed: inflate(request, most)
        case .length:
            request.exchange.receiveBody(max: most) { [unowned self] _, body in self.received(request, .bytes(body)) }
        case .chunked: gather(request, most)
        }
    }

    /// Whether the body is gzip. Throws for other codings.
    private func isCompressed(_ head: HTTPRequestHead) throws(APIError) -> Bool {
        switch head.headers.first(named: "Content-Encoding")?.lowercased() {
        case nil, "", "identity": return false
        case "gzip", "x-gzip": return true
        default:
            var error = APIError(415, .validation, "A body may be compressed with gzip alone.")
            error.headers = [("Accept-Encoding", "gzip")]
            throw error
        }
    }

    private static func isJSON(_ type: String) -> Bool {
        let type = type.prefix { $0 != ";" }.lowercased()
        return type.filter { $0 != " " && $0 != "\t" } == "application/json"
    }

    private static func tooLarge(_ most: Int) -> APIError {
        APIError(413, .payloadTooLarge, "A body may have at most \(most) bytes.")
    }

    /// A body of unknown length.
    private func gather(_ request: Pending, _ most: Int) {
        var body: [UInt8] = []
        request.exchange.streamBody(max: Self.uncounted) { [unowned self] bytes in
            guard body.count + bytes.count <= most else { return self.refuse(request, Self.tooLarge(most)) }
            body.append(contentsOf: bytes)
        } done: { [unowned self] _ in
            self.received(request, .bytes(body))
        }
    }

    /// A compressed body. Its bounds are those of the content, and nothing is kept past them.
    private func inflate(_ request: Pending, _ most: Int) {
        let stream = GunzipStream(bytesMax: most)
        request.exchange.streamBody(max: Self.uncounted) { [unowned self] bytes in
            guard !request.exchange.isAnswered else { return }
            do throws(GunzipStream.Fault) {
                try stream.take(bytes)
            } catch {
                self.refuse(request, Self.refusal(error, most))
            }
        } done: { [unowned self] _ in
            guard !request.exchange.isAnswered else { return }
            do throws(GunzipStream.Fault) {
                self.received(request, .bytes(try stream.finish()))
            } catch {
                self.refuse(request, Self.refusal(error, most))
            }
        }
    }

    private static func refusal(_ fault: GunzipStream.Fault, _ most: Int) -> APIError {
        switch fault {
        case .tooLarge: tooLarge(most)
        case .malformed: .malformed("The body is not gzip, or is damaged.")
        }
    }

    /// Bytes are counted here, so that the refusal has the form of the group.
    private static var uncounted: Int { 1 << 40 }

    // MARK: Files

    private func receiveFile(_ request: Pending, _ kind: MediaKind) throws(APIError) {
        let media = try uploads()
        let head = request.exchange.head
        guard try !isCompressed(head) else {
            throw APIError(415, .validation, "A form with a file is not compressed: most files are already.")
        }
        guard let boundary = head.headers.first(named: "Content-Type").flatMap(MultipartBoundary.init(contentType:))
        else { throw APIError(415, .validation, "The body must be a form: multipart/form-data with its boundary.") }
        switch head.body {
        case .none: throw .malformed("A form with a file is needed.")
        case .length(let length) where length > media.library.limits.bodyBytesMax(kind):
            var error = APIError(MediaError.tooLarge(bytesMax: media.library.limits.bytesMax(kind)))
            error.file?.byteCount = length
            throw error
        case .length, .chunked: break
        }
        check(request, FileUpload(form: .file(kind, boundary), media: media))
    }

    private func receiveChunk(_ request: Pending) throws(APIError) {
        let media = try uploads()
        let head = request.exchange.head
        if let type = head.headers.first(named: "Content-Type"), !Self.isJSON(type) {
            throw APIError(415, .validation, "The body must be JSON, with Content-Type: application/json.")
        }
        let most = ChunkBody.bodyBytesMax(media.library.limits)
        switch head.body {
        case .none: throw .malformed("A JSON body is needed.")
        case .length(let length) where length > most: throw Self.tooLarge(most)
        case .length, .chunked: break
        }
        check(request, FileUpload(form: .chunk, media: media))
    }

    private func uploads() throws(APIError) -> MediaService {
        guard let media = group.media, media.hasWorker else {
            throw .unavailable("This server cannot process files, so it accepts no uploads. Its log says why.")
        }
        try media.checkTakesUploads()
        return media
    }

    /// Checks the sender before the body arrives, so that no client sends megabytes in vain.
    private func check(_ request: Pending, _ upload: FileUpload) {
        guard case .checked(let check) = request.route.access, let sender = request.sender else {
            return stream(request, upload)
        }
        guard let number = keep(request) else { return }
        let (context, mailbox) = (context, shard.mailboxes[shard.index])
        Task.detached {
            let result: Result<Group.Sender, APIError>
            do throws(APIError) {
                result = .success(try await check(sender, context))
            } catch {
                result = .failure(error)
            }
            mailbox.insist(RequestStep<Group>.checked(number, result, upload))
        }
    }

    func checked(_ number: UInt64, _ result: Result<Group.Sender, APIError>, _ upload: FileUpload) {
        guard let request = pending.removeValue(forKey: number) else { return }
        switch result {
        case .success(let sender):
            request.sender = sender
            stream(request, upload)
        case .failure(let error): refuse(request, error)
        }
    }

    private func stream(_ request: Pending, _ upload: FileUpload) {
        let media = upload.media
        let seat: Seats<ExactText>.Seat
        do throws(APIError) {
            seat = try media.seat(of: request.sender.map(group.id))
        } catch {
            return refuse(request, error)
        }
        let told: Int? = if case .length(let length) = request.exchange.head.body { length } else { nil }
        let body: any ReceivedBody
        switch upload.form {
        case .file(let kind, let boundary): body = UploadBody(kind, boundary, told: told, media.library, seat)
        case .chunk: body = ChunkBody(media.library, seat)
        }
        request.exchange.streamBody(max: Self.uncounted, to: body, on: media.disks) { [unowned self] _, failure in
            switch (failure, body.received) {
            case (nil, .some(let received)):
                self.received(request, received.json.map { .chunk(received.file, $0) } ?? .file(received.file))
            case (let fault as MediaError, _):
                var error = media.fault(fault)
                error.file?.byteCount = body.fileBytes
                self.refuse(request, error)
            case (let error as APIError, _): self.refuse(request, error)
            default: self.refuse(request, .unavailable("The server is overloaded; try again in a moment."))
            }
        }
    }
}
