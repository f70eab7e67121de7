import Recorder
import Store
import Transport

/// Recordings for requests, with a bound on how many are being sent.
package final class RecordingService: Sendable {
    let library: RecordingLibrary
    /// Files that are being sent, by the client's address.
    private let downloads: Seats<IPAddress>

    /// - Parameters:
    ///   - media: uploaded files, which share the bound; nil where there are none.
    ///   - downloadsMax: how many files may be sent at a time.
    package init(_ library: RecordingLibrary, beside media: MediaService?, downloadsMax: Int) {
        self.library = library
        downloads = media?.downloads ?? .ofDownloads(downloadsMax)
    }

    /// Opens a file for an answer to a client of this address; nil when there is no such file here.
    func open(_ recording: Recording, for address: IPAddress?) async throws(APIError) -> OpenFile? {
        guard let seat = downloads.take(address) else {
            throw .unavailable("Too many files are being sent; try again in a moment.")
        }
        guard case .success(let file) = await library.open(recording, seat: seat) else {
            throw .unavailable("The recording cannot be read at the moment.")
        }
        return file
    }
}
