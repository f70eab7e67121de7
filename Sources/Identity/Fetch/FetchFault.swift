/// Why keys could not be fetched, as a phrase for the log.
struct FetchFault: Error, Equatable, Sendable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
