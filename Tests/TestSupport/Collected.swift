import Threads

/// Collects what is written from any thread.
package final class Collected: Sendable {
    private let pieces = Locked<[String]>([])

    package init() {}

    package func append(_ text: String) { pieces.withLock { $0.append(text) } }

    package var text: String { pieces.withLock { $0.joined() } }
    package var all: [String] { pieces.withLock { $0 } }
}
