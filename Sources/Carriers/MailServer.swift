import Fetch
import Threads

/// Letters to e-mail addresses, through a mail server.
package final class MailServer: Carrier {
    /// A server that stops waits for a letter that is on its way.
    private static let milliseconds: Int64 = 10_000

    private let client: MailClient
    private let sender: String

    package init(_ url: MailURL, sender: String, user: String?, key: [UInt8], caFile: String? = nil) {
        client = MailClient(
            url, sender: sender, user: user, password: key, caFile: caFile, milliseconds: Self.milliseconds)
        self.sender = sender
    }

    package func carry(_ text: CarriedText) -> CarriedOutcome {
        let letter = Letter(text, from: sender, at: Clock.unixSeconds())
        do throws(FetchFault) {
            switch try client.send(letter.bytes, to: text.recipient) {
            case .taken: return .sent
            case .noRecipient: return .unreachable
            }
        } catch {
            return .failed(error.reason)
        }
    }
}
