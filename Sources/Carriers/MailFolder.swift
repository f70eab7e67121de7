import Glibc
import Threads

/// Letters as files of a directory, for developers: nothing leaves this machine. Only the server's user can read them.
package final class MailFolder: Carrier {
    private let path: String
    private let sender: String
    private var count = 0

    /// - Parameter path: a directory, which is made if it is missing.
    package init(_ path: String, sender: String) {
        self.path = path
        self.sender = sender
    }

    package func carry(_ text: CarriedText) -> CarriedOutcome {
        let now = Clock.unixSeconds()
        if mkdir(path, 0o700) != 0, errno != EEXIST { return .failed(Self.reason) }
        // Another thread, or the server before, may have a letter of this second.
        while true {
            count += 1
            let name = "\(path)/\(now)-\(count).eml"
            let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file < 0, errno == EEXIST { continue }
            guard file >= 0 else { return .failed(Self.reason) }
            defer { close(file) }
            let bytes = Letter(text, from: sender, at: now).bytes
            guard write(file, bytes, bytes.count) == bytes.count else { return .failed(Self.reason) }
            return .sent
        }
    }

    private static var reason: String { "the letter cannot be written: \(String(cString: strerror(errno)))" }
}
