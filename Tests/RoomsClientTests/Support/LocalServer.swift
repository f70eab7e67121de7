import Configuration
import Foundation
import Logging
import RoomsServer
import Testing

/// A server of Rooms in this process, on a port of its own.
final class LocalServer: Sendable {
    let server: RoomsServer
    let port: Int

    init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration()
        configuration.listen = [.tcp(.loopback, port: 0)]
        configuration.threads = 2
        configure(&configuration)
        let quiet = Logger(level: .error, format: .json, output: LogOutput { _ in })
        server = try RoomsServer(configuration, quiet)
        let address = try #require(server.addresses.first)
        port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    }

    var url: String { "ws://127.0.0.1:\(port)" }

    deinit {
        server.stop()
    }
}
