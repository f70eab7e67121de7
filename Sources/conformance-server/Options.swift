import Glibc
import Sessions
import Transport
import Wire

/// The options of the fixture's command line.
struct Options {
    enum Suite: String {
        case engine
        case socket
    }

    static let usage = """
        Usage: conformance-server [options]

        A server for the protocols' public test suites and for tests with real clients.

          --port N              port to listen on; 0 chooses one (default 3000)
          --host ADDRESS        address to listen on (default 127.0.0.1)
          --suite engine|socket which suite to serve (default socket)
          --ping-interval MS    (default 300)
          --ping-timeout MS     (default 200)
          --connect-timeout MS  how long a client may be in no namespace (default 45000)
          --max-payload BYTES   (default 1000000)
          --threads N           event loops (default 1)
          --tls-cert FILE       certificate chain in PEM; with --tls-key
          --tls-key FILE        its private key in PEM
          --echo                a raw WebSocket echo at /echo
          --fan-out             a raw WebSocket at /fan: what one member sends goes to all of its thread
          --compress            agree on permessage-deflate
          --origins LIST        origins of pages that may connect, comma-separated (default: any)
          --static DIR          serve the files below DIR
        """

    var port: UInt16 = 3000
    var host = "127.0.0.1"
    var suite = Suite.socket
    var threads = 1
    var certificate: String?
    var key: String?
    var echoes = false
    var fansOut = false
    var staticDirectory: String?
    var session = SessionConfiguration()

    init(_ arguments: [String]) throws(TransportError) {
        session.pingIntervalMilliseconds = 300
        session.pingTimeoutMilliseconds = 200
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--echo": echoes = true
            case "--fan-out": fansOut = true
            case "--compress": session.compresses = true
            default: try set(name, rest.popFirst())
            }
        }
        session.path = suite == .engine ? "/engine.io/" : "/socket.io/"
    }

    private mutating func set(_ name: String, _ value: String?) throws(TransportError) {
        guard let value else {
            throw TransportError(description: "\(name): a value is missing, or there is no such option")
        }
        switch name {
        case "--port": port = UInt16(try Self.number(name, value, 0...65_535))
        case "--host": host = value
        case "--suite":
            guard let given = Suite(rawValue: value) else {
                throw TransportError(description: "--suite: 'engine' or 'socket', not '\(value)'")
            }
            suite = given
        case "--ping-interval": session.pingIntervalMilliseconds = try Self.number(name, value, 1...3_600_000)
        case "--ping-timeout": session.pingTimeoutMilliseconds = try Self.number(name, value, 1...3_600_000)
        case "--connect-timeout": session.connectMilliseconds = try Self.number(name, value, 1...3_600_000)
        case "--max-payload": session.maxPayloadBytes = try Self.number(name, value, 1...(1 << 30))
        case "--threads": threads = try Self.number(name, value, 1...256)
        case "--tls-cert": certificate = value
        case "--tls-key": key = value
        case "--static": staticDirectory = value
        case "--origins":
            session.origins = .listed(Set(value.split(separator: ",").compactMap { WebOrigin(String($0)) }))
        default: throw TransportError(description: "\(name): there is no such option")
        }
    }

    private static func number(_ name: String, _ value: String, _ range: ClosedRange<Int>) throws(TransportError) -> Int
    {
        guard let number = Int(value), range.contains(number) else {
            throw TransportError(
                description: "\(name): a number from \(range.lowerBound) to \(range.upperBound), not '\(value)'")
        }
        return number
    }

    func transportConfiguration() throws(TransportError) -> TransportConfiguration {
        guard let address = IPAddress(host) else {
            throw TransportError(description: "--host: an IP address, not '\(host)'")
        }
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(address, port: port)]
        configuration.shardCount = threads
        switch (certificate, key) {
        case (let certificate?, let key?): configuration.tls = TLSFiles(certificate: certificate, key: key)
        case (nil, nil): break
        default: throw TransportError(description: "--tls-cert and --tls-key: both or neither")
        }
        // The raw echo accepts the messages of the WebSocket suite, which are larger than those of a session.
        let messageBytesMax = echoes ? 32 << 20 : session.maxPayloadBytes
        configuration.limits.webSocket.messageBytesMax = messageBytesMax
        configuration.limits.webSocket.frameBytesMax = messageBytesMax
        configuration.limits.tailBytesMax = max(configuration.limits.tailBytesMax, 2 * messageBytesMax)
        configuration.limits.webSocket.fragmentsMax = 1 << 20
        configuration.limits.http.bodyBytesMax = session.maxPayloadBytes
        configuration.report = { notice in
            Console.error("\(notice.kind.rawValue): \(notice.detail)\n")
        }
        return configuration
    }
}
