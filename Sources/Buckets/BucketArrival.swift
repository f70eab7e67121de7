import Fetch
import Glibc
import Media

/// An object on its way from the bucket: into a file on the disk, or into one in memory where the disk has no room.
package final class BucketArrival: FetchSink, @unchecked Sendable {
    // One thread works with it at a time.
    package var bytesMax = 0
    private let stage: (_ bytes: Int) throws(MediaError) -> StagedFile
    private var file: ArrivedFile?

    /// - Parameter stage: makes the file on the disk.
    package init(stage: @escaping (_ bytes: Int) throws(MediaError) -> StagedFile) {
        self.stage = stage
    }

    package func begin(byteCount: Int?) throws(FetchFault) {
        // An earlier attempt may have brought a part.
        file = nil
        do throws(MediaError) {
            // Without a length it may take as much as it is allowed to.
            file = .staged(try stage(byteCount ?? bytesMax))
        } catch {
            file = .inMemory(try Self.reported { () throws(MediaError) in try MemoryFile() })
        }
    }

    package func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFault) {
        guard let file else { return }
        try Self.reported { () throws(MediaError) in
            switch file {
            case .staged(let file): try file.write(bytes)
            case .inMemory(let file): try file.write(bytes)
            }
        }
    }

    /// What has come, when all of it is there.
    package func finish() throws(MediaError) -> ArrivedFile {
        if let file { return file }
        // Nothing is a file, too.
        return .inMemory(try MemoryFile())
    }

    private static func reported<Value>(_ body: () throws(MediaError) -> Value) throws(FetchFault) -> Value {
        do throws(MediaError) { return try body() } catch {
            throw FetchFault("its bytes cannot be kept here: \(error)")
        }
    }
}

package enum ArrivedFile {
    case staged(StagedFile)
    case inMemory(MemoryFile)

    /// Opens it for reading: a descriptor that the caller closes.
    package func opened() throws(MediaError) -> Int32 {
        switch self {
        case .staged(let file): try file.opened()
        case .inMemory(let file): try file.opened()
        }
    }
}
