import Threads
import Transport

/// Bounds attempts to sign in, so that passwords cannot be guessed. A network address from which somebody has signed in to
/// an account is not counted with the strangers of that account. So strangers on other addresses cannot lock the owner
/// out.
final class AttemptLimits: Sendable {
    private struct Key: Hashable {
        let email: String?
        let address: IPAddress?
        let isStranger: Bool
    }

    private struct Owners {
        var young: Set<Key> = []
        var old: Set<Key> = []
    }

    private let pair: RequestRate
    private let address: RequestRate
    private let email: RequestRate
    private let countedMax: Int
    private let meters: RequestMeters<Key>
    private let owners = Locked(Owners())

    init(_ limits: AccountLimits) {
        pair = RequestRate(perMinute: limits.attemptsPerMinuteMax)
        address = RequestRate(perMinute: limits.addressAttemptsPerMinuteMax)
        email = RequestRate(perMinute: limits.emailAttemptsPerMinuteMax)
        countedMax = limits.countedMax
        meters = RequestMeters(countedMax: limits.countedMax)
    }

    /// Counts an attempt, or throws when it has to wait.
    ///
    /// - Parameter address: nil for an address that the server does not count, such as loopback. All these are one.
    func count(_ email: String, _ address: IPAddress?, nowMilliseconds now: Int64) throws(AccountFault) {
        let email = email.foldedASCII
        let own = Key(email: email, address: address, isStranger: false)
        if address != nil { try take(Key(email: nil, address: address, isStranger: false), self.address, now) }
        try take(own, pair, now)
        let isOwner = owners.withLock { $0.young.contains(own) || $0.old.contains(own) }
        if !isOwner { try take(Key(email: email, address: nil, isStranger: true), self.email, now) }
    }

    /// Counts an attempt without an e-mail address.
    func count(from address: IPAddress?, nowMilliseconds now: Int64) throws(AccountFault) {
        guard let address else { return }
        try take(Key(email: nil, address: address, isStranger: false), self.address, now)
    }

    /// A person has signed in from the network address.
    func succeeded(_ email: String, _ address: IPAddress?) {
        let key = Key(email: email.foldedASCII, address: address, isStranger: false)
        owners.withLock { owners in
            if owners.young.count >= countedMax {
                owners.old = owners.young
                owners.young = []
            }
            owners.young.insert(key)
        }
    }

    private func take(_ key: Key, _ rate: RequestRate, _ now: Int64) throws(AccountFault) {
        let reading = meters.count(key, nowMilliseconds: now) { $0.take(rate, nowMilliseconds: now) }
        guard let wait = reading?.waitMilliseconds, wait > 0 else { return }
        throw .tooManyAttempts(waitSeconds: (wait + 999) / 1_000)
    }
}

extension String {
    /// With the small letters of ASCII instead of its capitals, as the store compares e-mail addresses.
    var foldedASCII: String {
        String(decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
