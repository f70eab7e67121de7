/// A request to another server. Names and values of headers are the program's own, or checked by it.
package struct FetchRequest: Sendable {
    package var method = "GET"
    package var headers: [(String, String)] = []
    package var body: [UInt8]?
    /// What is sent instead of a body.
    package var file: FetchFile?
    /// Takes the content of an answer with status 200, of which the answer then has none.
    package var sink: (any FetchSink)?
    /// Path and query, instead of those of the client's address.
    package var target: String?
    /// Whether it is the last one for a long time.
    package var isLast = false

    package init(_ method: String = "GET", headers: [(String, String)] = [], body: [UInt8]? = nil, isLast: Bool = false)
    {
        self.method = method
        self.headers = headers
        self.body = body
        self.isLast = isLast
    }
}

/// All of a file. A transfer of it may take longer than other requests: by its size, and as long as something comes.
package struct FetchFile: Sendable {
    /// Open for reading; it is read from its beginning, and stays open.
    package let descriptor: Int32
    package let byteCount: Int

    package init(descriptor: Int32, byteCount: Int) {
        self.descriptor = descriptor
        self.byteCount = byteCount
    }
}

/// Takes the content of an answer piece by piece, on the thread that waits for the answer.
package protocol FetchSink: AnyObject, Sendable {
    /// More is a fault.
    var bytesMax: Int { get }
    /// The content begins, perhaps once more because the request was repeated.
    ///
    /// - Parameter byteCount: of all of it, if the server has told.
    func begin(byteCount: Int?) throws(FetchFault)
    func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFault)
}

package struct FetchResponse: Sendable, Equatable {
    package let status: Int
    /// As the server wrote it: seconds, or a date.
    package let retryAfter: String?
    package let body: [UInt8]

    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// The bounds of a request and its answer.
package struct FetchLimits: Sendable {
    /// A longer head of an answer is a fault, interim heads and the lines after the body counted with it.
    package var headBytesMax = 16 * 1024
    /// The same for its body.
    package var bodyBytesMax: Int
    /// How long all of it may take, from looking the name up to the last byte.
    package var milliseconds: Int64
    /// What the bytes of a body or a file add to that: a second for so many.
    package var bytesPerSecondMin = 1_000_000
    /// How long less than this may come or go while a file is transferred.
    package var slowSecondsMax = 20
    package var slowBytesPerSecondMin = 10_000

    package init(bodyBytesMax: Int, milliseconds: Int64) {
        self.bodyBytesMax = bodyBytesMax
        self.milliseconds = milliseconds
    }
}
