import Wire

extension HTTPResponse {
    /// Reads the head of a response from what a test's client has received, and takes it away from there.
    ///
    /// - Parameter receive: waits for more of the connection and appends it. False: nothing more comes.
    package static func head(from buffer: inout [UInt8], _ receive: (inout [UInt8]) throws -> Bool) throws
        -> HTTPResponse?
    {
        var reader = HTTPResponseReader(.head, bodyBytesMax: 0)
        while true {
            var offset = 0
            let head = try reader.next(buffer.span, &offset)
            buffer.removeFirst(offset)
            if let head { return head }
            guard try receive(&buffer) else { return nil }
        }
    }
}
