import Threads

/// Asks one server, one request after another, over one connection as long as that lasts. For one thread.
package final class FetchClient {
    private let url: FetchURL
    private let caFile: String?
    private let limits: FetchLimits
    private var connection: (any FetchConnection)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)

    /// - Parameter caFile: the authorities that vouch for the server; those of the system when it is nil. They are read
    ///   for each connection, so that a new file takes effect.
    package init(_ url: FetchURL, caFile: String? = nil, limits: FetchLimits) {
        self.url = url
        self.caFile = caFile
        self.limits = limits
    }

    deinit {
        buffer.deallocate()
    }

    /// Sends a request and waits for the answer, for as long as the limits allow.
    ///
    /// A server may end a connection that rests just when it is used again. Then the request is sent once more over a new
    /// one: it must be one that does no harm twice.
    package func send(_ request: FetchRequest) throws(FetchFault) -> FetchResponse {
        let deadline = Clock.milliseconds() + limits.milliseconds
        let bytes = request.bytes(to: url)
        if let resting = connection {
            connection = nil
            resting.deadline = deadline
            if let response = try? exchange(bytes, over: resting) { return response }
        }
        return try exchange(bytes, over: connect(by: deadline))
    }

    private func connect(by deadline: Int64) throws(FetchFault) -> any FetchConnection {
        var addresses = try ServerAddress.find(host: url.host, port: url.port, deadline: deadline)
        // What is not encrypted stays on this machine, whatever "localhost" leads to.
        if !url.isSecure { addresses = addresses.filter(\.isLoopback) }
        let socket = try ClientSocket.connect(to: addresses, deadline: deadline)
        return url.isSecure ? try ClientTLS(socket, ClientTrust(caFile: caFile), url) : socket
    }

    private func exchange(
        _ request: [UInt8], over connection: any FetchConnection
    ) throws(FetchFault) -> FetchResponse {
        var rest = request[...]
        while !rest.isEmpty {
            let piece = rest.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            try connection.send(UnsafeRawBufferPointer(rebasing: buffer[..<piece.count]))
            rest = rest.dropFirst(piece.count)
        }
        var reader = ResponseReader(headBytesMax: limits.headBytesMax, bodyBytesMax: limits.bodyBytesMax)
        while true {
            let count = try connection.receive(into: buffer)
            guard count > 0 else { throw FetchFault("the server ended the connection within its answer") }
            guard let response = try reader.take(buffer[..<count]) else { continue }
            if !response.isLast { self.connection = connection }
            return response
        }
    }
}
