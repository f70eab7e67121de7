/// The compressors that all connections of one loop share, and the scratch space through which they work.
///
/// Belongs to its loop's thread. Nothing in it outlives one message: a connection whose peer keeps its compression
/// context from message to message needs a compressor of its own.
public final class DeflateContext {
    static let scratchBytes = 16 * 1024

    let scratch: UnsafeMutableBufferPointer<UInt8>
    private let level: Int32
    private(set) lazy var inflater = Inflater()
    /// One for each window size that some client asked for.
    private var deflaters: [Deflater?] = Array(repeating: nil, count: 16)

    /// `level` is zlib's: 1 is fast, 9 is small.
    public init(level: Int = 6) {
        precondition((1...9).contains(level), "zlib has levels 1 to 9")
        self.level = Int32(level)
        scratch = .allocate(capacity: Self.scratchBytes)
        scratch.initialize(repeating: 0)
    }

    deinit {
        scratch.deallocate()
    }

    func deflater(windowBits: Int) -> Deflater {
        if let deflater = deflaters[windowBits] { return deflater }
        let deflater = makeDeflater(windowBits: windowBits)
        deflaters[windowBits] = deflater
        return deflater
    }

    func makeDeflater(windowBits: Int) -> Deflater {
        Deflater(windowBits: windowBits, level: level)
    }
}
