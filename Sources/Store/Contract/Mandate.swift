/// The session for which a task works. The store refuses writes of the task once the session has ended, and checks this in the
/// transaction that writes. The end of the account and a new password end the session, too.
package struct Mandate: Sendable, Equatable {
    package let person: String
    package let session: String

    package init(person: String, session: String) {
        self.person = person
        self.session = session
    }

    /// The mandate of the present task; nil for work of the server itself. A detached task begins without one.
    @TaskLocal package static var current: Mandate?
}
