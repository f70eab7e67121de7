/// Carries short texts or letters to people, one after another, through a provider. For one thread.
package protocol Carrier {
    /// Sends a text, and waits until the provider has taken or refused it.
    func carry(_ text: CarriedText) -> CarriedOutcome
}

package struct CarriedText: Sendable, Equatable {
    /// A telephone number in the form of E.164, or an e-mail address in ASCII without blanks.
    package let recipient: String
    /// Of a letter, in ASCII.
    package let subject: String
    package let text: String

    package init(to recipient: String, subject: String = "", _ text: String) {
        self.recipient = recipient
        self.subject = subject
        self.text = text
    }
}

package enum CarriedOutcome: Sendable, Equatable {
    case sent
    /// The provider cannot reach this recipient.
    case unreachable
    /// The provider failed, with the reason for the operator. It has no part of the text, and no recipient.
    case failed(String)
}
