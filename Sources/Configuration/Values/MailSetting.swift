import Fetch

/// How the server sends letters.
package enum MailSetting: Sendable, Equatable {
    /// It does not.
    case off
    /// As files below the data directory, for developers.
    case file
    /// Through the mail server with this address.
    case server(String)

    init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "file": self = .file
        default:
            guard MailURL(text) != nil else { return nil }
            self = .server(text)
        }
    }

    var text: String {
        switch self {
        case .off: "off"
        case .file: "file"
        case .server(let url): url
        }
    }
}
