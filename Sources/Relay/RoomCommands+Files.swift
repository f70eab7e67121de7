import Media
import Store

/// Uploaded files that are about to be deleted.
extension RoomCommands {
    /// How long another node has for its answer.
    private static let answerTime: Duration = .seconds(5)

    /// From now on no element of any node can begin to show one of these files, until they are pardoned.
    ///
    /// - Returns: those of them that elements show and the store does not know yet; nil when a shard or a node does not
    ///   answer.
    package func condemn(_ keys: Set<String>) async -> Set<String>? {
        await withCheckedContinuation { continuation in
            let open = condemn(keys) { continuation.resume(returning: $0) }
            Task.detached {
                try? await Task.sleep(for: Self.answerTime)
                open.giveUp()
            }
        }
    }

    /// - Parameter done: gets the same.
    @discardableResult
    package func condemn(_ keys: Set<String>, _ done: @escaping @Sendable (Set<String>?) -> Void) -> OpenQuestions {
        let link = cluster?.link
        let elsewhere: [Sending] = (link?.others ?? []).map { node in
            { link?.send(.condemned(keys.sorted(), question: $0), to: node) ?? false }
        }
        return askAll(condemnHere(keys, of: cluster?.node.id ?? 0) + elsewhere) { done(Self.shown(keys, answers: $0)) }
    }

    /// The files that are condemned are deleted, or stay. A node that is not told forgets them some time later.
    package func pardon() {
        condemned.set([], of: cluster?.node.id ?? 0)
        for node in cluster?.link.others ?? [] { _ = cluster?.link.send(.condemned([], question: 0), to: node) }
    }

    /// Another node is about to delete files, or has no more that it will delete.
    func condemn(_ keys: Set<String>, of node: Int, askedBy question: UInt64) {
        guard !keys.isEmpty else { return condemned.set([], of: node) }
        askAll(condemnHere(keys, of: node)) { [cluster] answers in
            let answer = Self.shown(keys, answers: answers).map { Questions.Answer.media($0) }
            _ = cluster?.link.send(.answer(question, answer ?? .unavailable), to: node)
        }
    }

    /// Each question finds the changes that came before, and each later change finds the files condemned.
    private func condemnHere(_ keys: Set<String>, of node: Int) -> [Sending] {
        condemned.set(keys, of: node)
        return mailboxes.map { mailbox in { mailbox.post(.homes(.mediaNotStored(question: $0))) } }
    }

    private static func shown(_ keys: Set<String>, answers: [Questions.Answer]) -> Set<String>? {
        var shown: Set<String> = []
        for answer in answers {
            guard case .media(let found) = answer else { return nil }
            shown.formUnion(found.intersection(keys))
        }
        return shown
    }
}
