import COpenSSL

/// One message between two nodes, as Redis carries it: where it stands in their pipe, and records.
///
/// A code under the cluster's secret covers all of it, so only nodes of the cluster can have made it, and only for this
/// receiver.
package struct LinkFrame: Equatable {
    /// The versions of frames, with their records, that this program reads and writes. Nodes of two versions that follow each
    /// other must have one in common, so a new version is added here first, and the oldest is dropped one release later.
    package static let versions = 1...1
    private static let headCount = 36
    private static let codeCount = 16

    /// The form in which it is written.
    let version: Int
    package let from: Int
    package let to: Int
    /// Whether it has records. A frame without records tells the number of the newest frame that has.
    package var isIdle: Bool { records.isEmpty }
    /// Whether the sender lacks a frame: it wants all frames after `received` once more.
    let wantsAgain: Bool
    /// The life of the pipe as its sender knows it.
    let generation: UInt64
    /// The life of the pipe in the other direction, as the sender knows it.
    let peerGeneration: UInt64
    /// The number of this frame among those with records, from 1 on.
    let number: UInt64
    /// The newest frame that the sender has received without a gap.
    let received: UInt64
    package let records: [[UInt8]]

    func encoded(_ key: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.reduce(Self.headCount + Self.codeCount) { $0 + $1.count + 4 })
        bytes += [
            UInt8(truncatingIfNeeded: version), UInt8(truncatingIfNeeded: from), UInt8(truncatingIfNeeded: to),
            wantsAgain ? 1 : 0,
        ]
        for number in [generation, peerGeneration, number, received] { Self.append(number, to: &bytes) }
        for record in records {
            Self.append(UInt32(clamping: record.count), to: &bytes)
            bytes += record
        }
        return bytes + Self.code(bytes[...], key)
    }

    /// Nil for bytes that no node of the cluster has made, and for a version that this node does not read.
    init?(_ bytes: [UInt8], key: [UInt8], versions: ClosedRange<Int> = LinkFrame.versions) {
        guard bytes.count >= Self.headCount + Self.codeCount, versions.contains(Int(bytes[0])) else { return nil }
        let end = bytes.count - Self.codeCount
        let code = Self.code(bytes[..<end], key)
        guard bytes[end...].withUnsafeBufferPointer({ rooms_same_bytes($0.baseAddress, code, Self.codeCount) }) else {
            return nil
        }
        version = Int(bytes[0])
        from = Int(bytes[1])
        to = Int(bytes[2])
        wantsAgain = bytes[3] == 1
        generation = Self.number(in: bytes, at: 4)
        peerGeneration = Self.number(in: bytes, at: 12)
        number = Self.number(in: bytes, at: 20)
        received = Self.number(in: bytes, at: 28)
        var records: [[UInt8]] = []
        var place = Self.headCount
        while place < end {
            guard place + 4 <= end else { return nil }
            let count = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard place + 4 + count <= end else { return nil }
            records.append(Array(bytes[place + 4..<place + 4 + count]))
            place += 4 + count
        }
        self.records = records
    }

    init(
        version: Int, from: Int, to: Int, wantsAgain: Bool, generation: UInt64, peerGeneration: UInt64, number: UInt64,
        received: UInt64, records: [[UInt8]]
    ) {
        self.version = version
        self.from = from
        self.to = to
        self.wantsAgain = wantsAgain
        self.generation = generation
        self.peerGeneration = peerGeneration
        self.number = number
        self.received = received
        self.records = records
    }

    private static func code(_ bytes: ArraySlice<UInt8>, _ key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let isMade = bytes.withUnsafeBufferPointer {
            rooms_hmac_sha256(key, key.count, $0.baseAddress, $0.count, &code)
        }
        precondition(isMade, "libcrypto has no memory left")
        return Array(code.prefix(codeCount))
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func number(in bytes: [UInt8], at place: Int) -> UInt64 {
        bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
