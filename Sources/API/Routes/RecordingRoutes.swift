import Recorder
import Relay
import Rooms
import Store
import Threads
import Transport
import Wire

/// Recordings of rooms, for their members.
enum RecordingRoutes {
    static func all(_ limits: APILimits) -> [APIRoute] {
        let changes = APILimits.rate(perSecond: limits.recordingsPerSecondMax)
        return [
            APIRoute(
                .post, "/api/rooms/{id}/recordings", "Begins to record a room in which somebody is; for its members.",
                access: .profileUnlessOpen, answer: .one("Recording"), status: 201, failures: [404, 409], rate: changes,
                start),
            APIRoute(
                .get, "/api/rooms/{id}/recordings", "The recordings of a room, the newest first; for its members.",
                access: .profileUnlessOpen, query: Field.paging(most: limits.pageItemsMax, usual: limits.pageItems),
                answer: .list(of: "Recording"), failures: [404], list),
            APIRoute(
                .post, "/api/rooms/{id}/recordings/{recordingId}/stop", "Ends a recording; for the room's members.",
                access: .profileUnlessOpen, answer: .one("Recording"), failures: [404, 409], rate: changes, stop),
            APIRoute(
                .get, "/api/rooms/{id}/recordings/{recordingId}/file",
                "The file of a recording, whole or a part of it (Range); for the room's members.",
                access: .profileUnlessOpen, answer: .file, failures: [404, 416], file),
            APIRoute(
                .delete, "/api/rooms/{id}/recordings/{recordingId}",
                "Deletes a recording that has ended; for the member who started it, and for the room's creator.",
                access: .profileUnlessOpen, answer: nil, status: 204, failures: [404, 409], delete),
        ]
    }

    private static var noRecordings: APIError { .notFound("recording: this server does not record rooms") }

    @Sendable private static func start(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.roomToRecord(request)
        guard api.recordings != nil else { throw noRecordings }
        guard room.isActive else { throw .conflict("The room is closed.") }
        let id = RandomID.make()
        try await api.command { $0.startRecording(id, by: request.subject, of: room.id, $1) }
        let recording = try await api.recording(id, of: room.id)
        var reply = APIReply.data(status: 201) { $0.recording(recording) }
        reply.headers = [("Location", "/api/rooms/\(room.id)/recordings/\(id)/file")]
        return reply
    }

    @Sendable private static func list(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.roomOfElements(request)
        let page = request.page(usual: api.limits.pageItems)
        let recordings = try await api.ask { $0.recordings(of: room, page, then: $1) }
        return .page(recordings) { $0.recording($1) }
    }

    @Sendable private static func stop(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.roomOfElements(request)
        let recording = try await api.recording(request.parameter("recordingId"), of: room)
        try await api.stop(recording)
        let stopped = try await api.recording(recording.id, of: room)
        return .data { $0.recording(stopped) }
    }

    @Sendable private static func file(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.roomOfElements(request)
        let recording = try await api.recording(request.parameter("recordingId"), of: room)
        guard let recordings = api.recordings,
            let file = try await recordings.open(recording, for: request.address)
        else { throw .notFound("file of this recording here") }
        var answer = FileAnswer(
            file: file, tag: "\"\(recording.id)-\(file.size)\"", mediaType: "application/gzip",
            cacheControl: "no-cache")
        answer.headers = [("Content-Disposition", "attachment; filename=\"\(recording.id).rec\"")]
        return APIReply(file: answer)
    }

    @Sendable private static func delete(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        guard api.recordings != nil else { throw noRecordings }
        let room = try await api.roomToRecord(request)
        let recording = try await api.recording(request.parameter("recordingId"), of: room.id)
        let isStarter = recording.starter?.isSameID(as: request.subject) == true
        guard isStarter || room.isCreator(request.subject) else {
            throw .forbidden("Only the member who started a recording and the creator of the room may delete it.")
        }
        guard !recording.isRunning else { throw .conflict("The recording runs; stop it first.") }
        try await api.ask { $0.doomRecording(recording.id, then: $1) }
        await api.recordings?.library.delete(recording.id)
        return .noContent
    }
}

extension APIContext {
    /// The room of a request: a member's, or in `open` mode any.
    fileprivate func roomToRecord(_ request: APIRequest) async throws(APIError) -> RoomRecord {
        let room = try await ask { $0.room(request.parameter("id"), then: $1) }
        guard let room else { throw .notFound("room") }
        guard isOpen || room.member(request.subject) != nil else {
            throw .forbidden("You are not a member of this room.")
        }
        return room
    }

    fileprivate func recording(_ id: String, of room: String) async throws(APIError) -> Recording {
        let found = try await ask { $0.recording(id, then: $1) }
        guard let found, found.room.isSameID(as: room) else { throw .notFound("recording") }
        return found
    }

    /// Ends a recording, and all in which it goes on because a home was lost: the member may not know of them yet.
    ///
    /// Whether the next home has begun to go on is decided in the store. Either it has, and its recording is found here, or it
    /// finds the end.
    fileprivate func stop(_ recording: Recording) async throws(APIError) {
        var next: Recording? = recording
        while let recording = next, recording.isRunning || recording.reason == .interrupted {
            let isWritten = try await command { $0.stopRecording(recording.id, of: recording.room, $1) }
            if !isWritten {
                let now = Clock.unixMilliseconds()
                try await ask { $0.stopRecording(recording.id, at: now, then: $1) }
            }
            next = try await ask { $0.recording(after: recording.id, then: $1) }
        }
    }

    /// Sends a command to the room's home. A room that is not in use has nothing to do.
    ///
    /// - Returns: whether the room's home had something to do.
    @discardableResult
    fileprivate func command(
        _ command: (RoomCommands, @escaping RoomCommands.Done) -> Void
    ) async throws(APIError) -> Bool {
        switch try await send(command) {
        case .done: return true
        case .notInUse: return false
        case .refused(let error): throw APIError(error)
        case .unavailable: throw .unavailable("The room cannot be reached at the moment.")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func recording(_ recording: Recording) {
        beginObject()
        member("id", recording.id)
        member("roomId", recording.room)
        member("startedAt", UTCTime.text(recording.startedAt / 1_000))
        if let starter = recording.starter { member("startedBy", starter) }
        member("isRunning", recording.isRunning)
        if let ended = recording.endedAt { member("endedAt", UTCTime.text(ended / 1_000)) }
        if let reason = recording.reason { member("reason", reason.rawValue) }
        member("bytes", Int(recording.extent.bytes))
        member("duration", Double(recording.extent.milliseconds) / 1_000)
        member("url", "/api/rooms/\(PercentEncoding.encode(recording.room))/recordings/\(recording.id)/file")
        endObject()
    }
}
