import Glibc
import Threads

/// Finds the addresses of hosts for a loop, each on a thread that may block.
///
/// An answer is kept for a little while: a thousand clients of one server ask once.
final class Resolver {
    typealias Answer = Result<[SocketAddress], ClientError>

    private static let keptMilliseconds: Int64 = 10_000
    private static let keptMax = 64

    private struct Place: Hashable {
        let host: String
        let port: Int
    }

    private struct Kept {
        let addresses: [SocketAddress]
        let ends: Int64
    }

    private unowned let loop: ClientLoop
    private var kept: [Place: Kept] = [:]
    private var waiting: [Place: [(Answer) -> Void]] = [:]

    init(_ loop: ClientLoop) {
        self.loop = loop
    }

    /// Answers on the loop's thread, at once if no lookup is needed.
    func find(_ host: String, _ port: Int, _ answer: @escaping (Answer) -> Void) {
        let place = Place(host: host, port: port)
        if case .success(let addresses) = SocketAddress.find(host, port, onlyNumeric: true) {
            return answer(.success(addresses))
        }
        if let known = kept[place], known.ends > loop.now { return answer(.success(known.addresses)) }
        waiting[place, default: []].append(answer)
        if waiting[place]?.count == 1 { ask(place) }
    }

    private func ask(_ place: Place) {
        let mine = LoopBound(value: self)
        let loop = loop
        let isStarted = SystemThread.detach {
            let result = SocketAddress.find(place.host, place.port, onlyNumeric: false)
            loop.post { mine.value.answered(place, result) }
        }
        if !isStarted { answered(place, .failure(.cannotConnect("no thread to look up \(place.host)"))) }
    }

    private func answered(_ place: Place, _ result: Answer) {
        if case .success(let addresses) = result {
            if kept.count >= Self.keptMax { kept = [:] }
            kept[place] = Kept(addresses: addresses, ends: loop.now + Self.keptMilliseconds)
        }
        for answer in waiting.removeValue(forKey: place) ?? [] { answer(result) }
    }
}
