/// What all bots of a swarm know together of a room: each entry of the log as the first bot saw it, and what the bots
/// have sent.
///
/// It keeps a bounded number of entries, the newest. Bots that are further behind are not compared.
final class Ledger {
    struct Place: Hashable {
        let incarnation: Substring
        let seq: UInt64
    }

    struct Entry {
        /// The digest of the event's bytes; nil until a bot has seen it.
        var digest: UInt64?
        /// Of the state after it.
        var state: UInt64?
        /// The user whose touch ended, if the event is the end of a touch.
        var endedTouch: String?
        /// Bots that did not get it. Only the bot whose touch ended may be among them.
        var skippedBy: [String] = []
        var text = ""
    }

    private static let entriesMax = 200_000

    private var entries: [Place: Entry] = [:]
    private var order: [Place] = []
    private var orderHead = 0

    private func withEntry<Result>(
        _ place: Place, _ body: (inout Entry) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        if entries[place] == nil {
            entries[place] = Entry()
            order.append(place)
            if entries.count > Self.entriesMax {
                entries[order[orderHead]] = nil
                orderHead += 1
                if orderHead > Self.entriesMax {
                    order.removeFirst(orderHead)
                    orderHead = 0
                }
            }
        }
        return try body(&entries[place, default: Entry()])
    }

    /// A bot has seen an entry, and has this state after it.
    func saw(_ place: Place, digest: UInt64, text: @autoclosure () -> String, endedTouch: String?) throws(Fault) {
        try withEntry(place) { entry throws(Fault) in
            if let known = entry.digest {
                guard known == digest else {
                    throw Fault(.agreement, "entry \(place.seq) is \(text()), but another bot was sent \(entry.text)")
                }
                return
            }
            entry.digest = digest
            entry.endedTouch = endedTouch
            entry.text = text()
            for skipper in entry.skippedBy where skipper != endedTouch {
                throw Fault(.order, "\(skipper) was not sent entry \(place.seq): \(entry.text)")
            }
        }
    }

    func hasState(_ state: UInt64, after place: Place) throws(Fault) {
        try withEntry(place) { entry throws(Fault) in
            if let known = entry.state, known != state {
                throw Fault(.agreement, "the state after entry \(place.seq) is not that of another bot")
            }
            entry.state = state
        }
    }

    /// A bot was not sent an entry between two others.
    func skipped(_ place: Place, by bot: String) throws(Fault) {
        try withEntry(place) { entry throws(Fault) in
            if entry.digest != nil, entry.endedTouch != bot {
                throw Fault(.order, "entry \(place.seq) was not sent: \(entry.text)")
            }
            entry.skippedBy.append(bot)
        }
    }

    // MARK: What the bots have sent

    /// Positions behind which a touch was ended.
    private var finals: [String: Set<TouchMark>] = [:]
    /// Connections that were lost: which of their positions was the last is not known.
    private var lost: [String: Set<Int>] = [:]
    /// The newest position that each bot has sent.
    private var newest: [String: TouchMark] = [:]
    private static let marksMax = 10_000

    func sent(_ user: String, _ mark: TouchMark) { newest[user] = mark }

    /// What a bot did with the touch of which a position was taken for the last.
    func story(of user: String, at mark: TouchMark) -> String {
        let ends = (finals[user] ?? []).filter { $0.epoch == mark.epoch }.map(\.number).sorted().suffix(5)
        return "it ended touches at \(Array(ends)), and its newest position is \(newest[user]?.text ?? "none")"
    }

    func ended(_ user: String, at mark: TouchMark) {
        if finals[user, default: []].count > Self.marksMax { finals[user] = [] }
        finals[user, default: []].insert(mark)
    }

    func lost(_ user: String, epoch: Int) { lost[user, default: []].insert(epoch) }

    func mayHaveEnded(_ user: String, at mark: TouchMark) -> Bool {
        guard let ends = finals[user] else { return true }
        return ends.contains(mark) || lost[user]?.contains(mark.epoch) ?? false
    }
}

/// A bot's position, by the number of its connection and of the position: sent along as the touch's element.
struct TouchMark: Hashable {
    let epoch: Int
    let number: Int

    init(epoch: Int, number: Int) {
        self.epoch = epoch
        self.number = number
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "mark", let epoch = Int(parts[1]), let number = Int(parts[2]) else {
            return nil
        }
        self.init(epoch: epoch, number: number)
    }

    var text: String { "mark.\(epoch).\(number)" }
}
