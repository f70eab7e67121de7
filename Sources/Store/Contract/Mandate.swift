/// The session of a person for which a task works. What the task writes is refused once the session has ended, which the end of
/// the account and a new password bring about, too. The store looks in the transaction that writes.
package struct Mandate: Sendable, Equatable {
    package let person: String
    package let session: String

    package init(person: String, session: String) {
        self.person = person
        self.session = session
    }

    /// That of the present task; nil for what the server does by itself. A detached task begins without one.
    @TaskLocal package static var current: Mandate?
}
