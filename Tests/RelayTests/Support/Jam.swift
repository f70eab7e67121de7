import Foundation
import TestSupport
import Transport

/// Keeps a shard busy with a full mailbox until it is let go.
final class Jam: Sendable {
    private let goOn = DispatchSemaphore(value: 0)
    private let mailbox: ShardMailbox

    init(_ server: RelayServer, shard index: Int) throws {
        let begun = DispatchSemaphore(value: 0)
        let goOn = goOn
        mailbox = server.transport.mailboxes[index]
        mailbox.post { _ in
            begun.signal()
            goOn.wait()
        }
        guard begun.wait(timeout: .now() + 20) == .success else { throw TestFailure("the shard does not begin") }
        while mailbox.post({ _ in }) {}
    }

    func end() {
        goOn.signal()
        // A shard that has ended takes nothing any more.
        _ = eventually { mailbox.post({ _ in }) }
    }
}
