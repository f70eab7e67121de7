/// Events of the provider's keys, for the log.
package enum KeyNotice: Sendable, Equatable {
    case fetched(keys: Int)
    /// The reason is a phrase.
    case failed(String)
}
