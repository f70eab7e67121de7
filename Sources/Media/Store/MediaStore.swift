/// Where uploaded files are kept. Its functions may wait for a disk: they are called on threads that may.
public protocol MediaStore: Sendable {
    /// What keeps the files, for errors: `disk`, or `S3`.
    var serviceName: String { get }

    /// Begins a file that stays invisible until it is published. It reserves space for so many bytes, and throws
    /// `storeFull` when there is too little beside that of other files in progress.
    func stage(bytes: Int) throws(MediaError) -> StagedFile

    /// Gives files their names: the first is the file, the others its smaller copies. When this has returned, they
    /// survive a loss of power; when it throws, none is there.
    func publish(_ file: StagedFile, copies: [(side: Int, file: StagedFile)], as key: MediaKey) throws(MediaError)

    /// Opens a file, or a smaller copy of it, for reading: a descriptor that the caller closes. Nil when it is not there.
    func open(_ key: MediaKey, side: Int?) throws(MediaError) -> Int32?

    /// Removes a file and its copies. No error when it is not there.
    func delete(_ key: MediaKey) throws(MediaError)

    /// Calls `body` with every file: its key, its bytes without copies, and the time of its publication (seconds since
    /// 1970), to find files that nothing shows. Files may come and go meanwhile.
    func forEach(_ body: (MediaKey, _ bytes: Int, _ published: Int) -> Void) throws(MediaError)

    /// Keeps a chunk of an upload, in place of an earlier one. The upload's name has only letters and digits.
    ///
    /// A loss of power may take it: the caller that joins chunks checks their sizes.
    func keepChunk(_ file: StagedFile, number: Int, of upload: String) throws(MediaError)
    /// Opens a chunk for reading: a descriptor that the caller closes. Nil when it is not there.
    func openChunk(_ number: Int, of upload: String) throws(MediaError) -> Int32?
    /// Removes all chunks of an upload. No error when there are none.
    func deleteChunks(of upload: String) throws(MediaError)
    /// The names of the uploads that have chunks.
    func uploadsWithChunks() throws(MediaError) -> [String]

    /// The server stops: waits for nothing that it can do without.
    func stop()
}

extension MediaStore {
    public var serviceName: String { "disk" }
    public func stop() {}
}
