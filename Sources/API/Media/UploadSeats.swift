import Media
import Threads
import Transport
import Wire

/// How many uploads there are at a time, of all and of each person: each may take as much of the disk as a file may have.
final class UploadSeats: Sendable {
    static let uploadsMax = 64
    static let uploadsOfPersonMax = 4

    private struct State {
        var count = 0
        var ofPerson: [ExactText: Int] = [:]
    }

    private let state = Locked(State())

    /// One upload's place, given back with its last owner.
    final class Seat: Sendable {
        private let seats: UploadSeats
        private let person: ExactText

        fileprivate init(_ seats: UploadSeats, _ person: ExactText) {
            self.seats = seats
            self.person = person
        }

        deinit {
            seats.leave(person)
        }
    }

    /// Nil when there are too many.
    func take(_ person: String) -> Seat? {
        let person = ExactText(person)
        let isTaken = state.withLock { state in
            guard state.count < Self.uploadsMax, state.ofPerson[person, default: 0] < Self.uploadsOfPersonMax else {
                return false
            }
            state.count += 1
            state.ofPerson[person, default: 0] += 1
            return true
        }
        return isTaken ? Seat(self, person) : nil
    }

    private func leave(_ person: ExactText) {
        state.withLock { state in
            state.count -= 1
            let left = (state.ofPerson[person] ?? 1) - 1
            state.ofPerson[person] = left > 0 ? left : nil
        }
    }

    var count: Int { state.withLock { $0.count } }
}

/// Takes the body of one upload, on threads that may wait for the disk. With it goes its file, unless that is admitted.
final class UploadBody: BodyConsumer, @unchecked Sendable {
    private let upload: MediaUpload
    private let bytesMax: Int
    private let fileBytesMax: Int
    private var byteCount = 0
    private let seat: UploadSeats.Seat

    init(_ kind: MediaKind, _ boundary: MultipartBoundary, _ library: MediaLibrary, _ seat: UploadSeats.Seat) {
        upload = library.upload(kind, boundary: boundary)
        bytesMax = library.limits.bodyBytesMax(kind)
        fileBytesMax = library.limits.bytesMax(kind)
        self.seat = seat
    }

    func take(_ bytes: [UInt8]) throws {
        byteCount += bytes.count
        // Fields that nobody asked for count as well: they could go on for ever.
        guard byteCount <= bytesMax else { throw MediaError.tooLarge(bytesMax: fileBytesMax) }
        try upload.take(bytes)
    }

    func finish() throws {
        try upload.finish()
    }

    /// The file, once the body is whole.
    var file: UploadedFile? { upload.finishedFile.map { UploadedFile(staged: $0, seat: seat) } }
}

/// A file that has come and was not looked at yet.
struct UploadedFile: Sendable {
    let staged: StagedFile
    private let seat: UploadSeats.Seat

    init(staged: StagedFile, seat: UploadSeats.Seat) {
        self.staged = staged
        self.seat = seat
    }
}
