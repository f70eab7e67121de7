/// Reads the header of the PROXY protocol, version 1 or 2, in which a proxy names the client of a connection.
struct ProxyHeaderReader {
    enum Result {
        case needMore
        case invalid
        /// The client, and how many of the last bytes belong to the header. Nil is the proxy itself, which is exempt from
        /// limits and bans, so no client may be taken for it: one that the header does not name is unknown.
        case header(PeerAddress?, used: Int)
    }

    /// Version 1 has a line of 107 bytes at most. A version 2 header may carry more than addresses; that much is read.
    static let headerBytesMax = 1_024
    private static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]

    private var kept: [UInt8] = []

    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Result {
        let before = kept.count
        kept.append(contentsOf: bytes.prefix(Self.headerBytesMax - before + 1))
        let result = kept.starts(with: Self.signature.prefix(kept.count)) ? readBinary() : readLine()
        switch result {
        case .header(let peer, let used): return used > before ? .header(peer, used: used - before) : .invalid
        case .needMore: return kept.count > Self.headerBytesMax ? .invalid : .needMore
        case .invalid: return .invalid
        }
    }

    private func readLine() -> Result {
        let start = Array("PROXY ".utf8)
        guard kept.starts(with: start.prefix(kept.count)) else { return .invalid }
        guard let end = kept.firstIndex(of: 0x0a) else { return kept.count > 107 ? .invalid : .needMore }
        guard end <= 106, end > 0, kept[end - 1] == 0x0d else { return .invalid }
        let words = String(decoding: kept[..<(end - 1)], as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2 else { return .invalid }
        if words[1] == "UNKNOWN" { return .header(.unknown, used: end + 1) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6",
            var peer = PeerAddress(String(words[2])), let port = UInt16(words[4]), UInt16(words[5]) != nil,
            PeerAddress(String(words[3])) != nil,
            Self.isOfFamily(words[2], words[1]), Self.isOfFamily(words[3], words[1])
        else { return .invalid }
        peer.port = port
        return .header(peer, used: end + 1)
    }

    /// Judged by the text: the parsed address may be of the other family.
    private static func isOfFamily(_ text: Substring, _ family: Substring) -> Bool {
        text.contains(":") == (family == "TCP6")
    }

    private func readBinary() -> Result {
        guard kept.count >= 16 else { return .needMore }
        let length = Int(kept[14]) << 8 | Int(kept[15])
        guard kept[12] >> 4 == 2, kept[12] & 15 <= 1, 16 + length <= Self.headerBytesMax else { return .invalid }
        guard kept.count >= 16 + length else { return .needMore }
        // Command 0, LOCAL, is the proxy's own health check.
        guard kept[12] & 15 == 1 else { return .header(nil, used: 16 + length) }
        func number(_ at: Int, _ count: Int) -> UInt64 {
            kept[at..<(at + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        switch kept[13] >> 4 {
        case 1 where length >= 12:
            let host = IPAddress.v4(UInt32(number(16, 4)))
            return .header(PeerAddress(host, port: UInt16(number(24, 2))), used: 16 + length)
        case 2 where length >= 36:
            let host = IPAddress(high: number(16, 8), low: number(24, 8))
            return .header(PeerAddress(host, port: UInt16(number(48, 2))), used: 16 + length)
        case 0, 3: return .header(.unknown, used: 16 + length)
        default: return .invalid
        }
    }
}
