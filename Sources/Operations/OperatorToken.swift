import COpenSSL
import Transport

/// The token of a server's operators, which nobody can guess: the tries of each network address are bounded.
final class OperatorToken: Sendable {
    enum Comparison: Equatable {
        case right, wrong
        /// The address has shown too many wrong tokens; this one was not compared.
        case limited(waitMilliseconds: Int)
    }

    /// Nil for a server whose operators have none: then every token is wrong.
    private let bytes: [UInt8]?
    private let rate: RequestRate
    /// The wrong tokens that network addresses have shown.
    let tries = RequestMeters<IPAddress>()

    init(_ bytes: [UInt8]?, limits: OperatorLimits = OperatorLimits()) {
        self.bytes = bytes
        rate = RequestRate(perMinute: limits.wrongTokensPerMinuteMax)
    }

    /// Compares the token of a request. A try is counted before the comparison, and given back when the token is right.
    ///
    /// - Parameters:
    ///   - header: the `Authorization` of the request; nil for none, which is not counted.
    ///   - address: the address under which the try is counted; nil for one that is not counted.
    func compare(_ header: String?, from address: IPAddress?, nowMilliseconds now: Int64) -> Comparison {
        guard let header, let address else { return isRight(header) ? .right : .wrong }
        return tries.count(address, nowMilliseconds: now) { paces in
            let before = paces
            if let wait = paces.take(rate, nowMilliseconds: now)?.waitMilliseconds, wait > 0 {
                return .limited(waitMilliseconds: wait)
            }
            guard isRight(header) else { return .wrong }
            paces = before
            return .right
        }
    }

    /// Compares in a time that depends on the token's length alone.
    private func isRight(_ header: String?) -> Bool {
        guard let bytes, let parts = header?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "bearer"
        else { return false }
        let shown = Array(parts[1].utf8)
        return shown.count == bytes.count && CRYPTO_memcmp(shown, bytes, bytes.count) == 0
    }
}
