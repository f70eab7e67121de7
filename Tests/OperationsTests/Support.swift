@testable import Transport

@testable import Operations

extension ServerReading {
    /// Of a server with one loop, which hangs.
    static var nothing: ServerReading {
        ServerReading(
            version: "0", shards: [nil], transport: TransportCounters(), connectionsMax: 10, isDraining: false,
            areBansRead: true, store: nil, kept: nil, pushes: nil, recordings: nil, codes: nil, cluster: nil,
            process: .now())
    }
}
