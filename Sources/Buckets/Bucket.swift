import Fetch
import Glibc
import Threads
import Wire

/// A bucket of an S3-compatible store, addressed by path. For any thread; a request blocks the thread that makes it.
package final class Bucket: Sendable {
    package struct Place: Sendable {
        let server: FetchURL
        /// The path of the bucket, and of what is in it, without a slash at its end.
        let path: String
        let prefix: String

        /// - Parameter url: `https://host[:port]/BUCKET[/PREFIX]`, or http on loopback. Nil for anything else.
        package init?(_ url: String) {
            guard let server = FetchURL(url), !server.target.contains("?"), !server.target.contains("%") else {
                return nil
            }
            let parts = server.target.split(separator: "/", omittingEmptySubsequences: true)
            guard let bucket = parts.first,
                parts.allSatisfy({ $0.utf8.allSatisfy(PercentEncoding.isPlain) && $0 != "." && $0 != ".." })
            else { return nil }
            self.server = server
            path = "/" + bucket
            prefix = parts.dropFirst().map { $0 + "/" }.joined()
        }
    }

    /// An object in the listing.
    package struct Object: Equatable, Sendable {
        package let name: String
        package let byteCount: Int
        /// Seconds since 1970.
        package let modified: Int
    }

    /// Connections that rest are kept, this many.
    private static let restingMax = 8
    private static let attempts = 3
    private static let pauseMicroseconds: UInt32 = 200_000
    /// Lists and refusals.
    private static let textBytesMax = 8 << 20

    private let place: Place
    private let signer: BucketSigner
    private let caFile: String?
    private let bytesMax: Int
    private let limits: FetchLimits
    private let resting = Locked<[Resting]>([])
    private let end = FetchStop()

    /// A client is used by one thread at a time.
    private struct Resting: @unchecked Sendable {
        let client: FetchClient
    }

    /// - Parameters:
    ///   - bytesMax: of one object.
    ///   - milliseconds: how long the store may take to answer; to bring or take an object it may take longer.
    package init(
        _ place: Place, _ signer: BucketSigner, caFile: String? = nil, bytesMax: Int, milliseconds: Int64 = 20_000
    ) {
        self.place = place
        self.signer = signer
        self.caFile = caFile
        self.bytesMax = bytesMax
        var limits = FetchLimits(bodyBytesMax: Self.textBytesMax, milliseconds: milliseconds)
        limits.slowSecondsMax = max(Int(milliseconds / 1_000), 1)
        self.limits = limits
    }

    /// Begins no more requests, and ends those that are under way.
    package func stop() { end.set() }

    // MARK: Objects

    /// Sends all of an open file, of which little is in memory at a time.
    package func put(_ name: String, _ file: FetchFile, type: String) throws(BucketFault) {
        var request = FetchRequest("PUT", headers: [("Content-Type", type)])
        request.file = file
        try check(send(request, path(name)), "PUT", name)
    }

    package func put(_ name: String, _ bytes: [UInt8], type: String) throws(BucketFault) {
        let request = FetchRequest("PUT", headers: [("Content-Type", type)], body: bytes)
        try check(send(request, path(name)), "PUT", name)
    }

    /// False when there is no such object.
    ///
    /// - Parameter arrival: takes its bytes, of which little is in memory at a time.
    package func get(_ name: String, into arrival: BucketArrival) throws(BucketFault) -> Bool {
        arrival.bytesMax = bytesMax
        return try get(name, into: arrival as any FetchSink)
    }

    package func get(_ name: String, into sink: any FetchSink) throws(BucketFault) -> Bool {
        var request = FetchRequest()
        request.sink = sink
        let answer = try send(request, path(name))
        if answer.status == 404, Self.code(answer) != "NoSuchBucket" { return false }
        try check(answer, "GET", name)
        return true
    }

    /// No error when there is no such object.
    package func delete(_ name: String) throws(BucketFault) {
        let answer = try send(FetchRequest("DELETE"), path(name))
        if answer.status != 404 { try check(answer, "DELETE", name) }
    }

    /// The objects whose names begin with `prefix`, page by page.
    package func list(_ prefix: String, _ body: (Object) -> Void) throws(BucketFault) {
        var (token, last): (String?, String?)
        repeat {
            // A signature counts the members of the query in their order.
            var query = "list-type=2&prefix=" + PercentEncoding.encode(place.prefix + prefix)
            if let token { query = "continuation-token=\(PercentEncoding.encode(token))&" + query }
            let answer = try send(FetchRequest(), place.path + "?" + query)
            try check(answer, "the list of", prefix)
            let page = try BucketPage(answer.body, without: place.prefix)
            // What was not asked for must not be taken for ours. Names that do not ascend have no end.
            for object in page.objects {
                guard object.name.hasPrefix(prefix), last.map({ $0 < object.name }) ?? true else {
                    throw BucketFault("the bucket lists other objects than it was asked for")
                }
                last = object.name
                body(object)
            }
            guard page.next == nil || !page.objects.isEmpty else { throw BucketFault("the bucket's list has no end") }
            token = page.next
        } while token != nil
    }

    private func path(_ name: String) -> String { "\(place.path)/\(place.prefix)\(name)" }

    // MARK: Requests

    /// All requests may be repeated: the same bytes come under the same name.
    private func send(_ request: FetchRequest, _ target: String) throws(BucketFault) -> FetchResponse {
        let resting =
            resting.withLock { $0.popLast() }
            ?? Resting(client: FetchClient(place.server, caFile: caFile, limits: limits, stop: end))
        defer { self.resting.withLock { if $0.count < Self.restingMax { $0.append(resting) } } }
        var fault = BucketFault("")
        for attempt in 1...Self.attempts {
            if end.isSet { throw BucketFault("the server stops") }
            let answer = try self.request(request, target, resting.client)
            switch answer {
            // It asks for a pause, or has a fault of its own.
            case .success(let answer) where answer.status < 500 || attempt == Self.attempts: return answer
            case .success: break
            case .failure(let reason): fault = BucketFault("the bucket does not answer: \(reason.reason)")
            }
            if attempt < Self.attempts { usleep(Self.pauseMicroseconds * UInt32(attempt)) }
        }
        throw fault
    }

    private func request(
        _ request: FetchRequest, _ target: String, _ client: FetchClient
    ) throws(BucketFault) -> Result<FetchResponse, FetchFault> {
        var request = request
        request.target = target
        let digest =
            if let file = request.file { try BucketSigner.digest(of: file.descriptor) } else {
                try BucketSigner.digest(request.body ?? [])
            }
        request.headers += try signer.headers(
            request.method, place.server.authority, target, digest, at: time(nil))
        let signed = request
        return Result { () throws(FetchFault) in try client.send(signed) }
    }

    private func check(_ answer: FetchResponse, _ deed: String, _ name: String) throws(BucketFault) {
        guard !(200..<300 ~= answer.status) else { return }
        let code = Self.code(answer).map { " \($0)" } ?? ""
        // The whole name is the permission to read a file.
        throw BucketFault("the bucket refuses \(deed) \(name.prefix(9))…: \(answer.status)\(code)")
    }

    /// The code of a refusal, as far as it can be shown.
    private static func code(_ answer: FetchResponse) -> String? {
        guard let code = XMLScan(answer.body).text(of: "Code"), code.utf8.count <= 64,
            code.utf8.allSatisfy({ ASCII.lowercased($0) &- 0x61 < 26 })
        else { return nil }
        return code
    }
}

/// Why a bucket could not do what it was asked: a sentence for the operator.
package struct BucketFault: Error, Equatable {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
