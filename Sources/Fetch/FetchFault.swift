/// Why another server did not answer, as a phrase for the log.
package struct FetchFault: Error, Equatable, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
