/// The revision of the Engine.IO protocol that a session speaks, told by the client in the query (`EIO=4`).
///
/// Version 3 is what Socket.IO 1.x and 2.x clients speak: the client sends the pings, payloads count characters, and
/// binary frames carry their type. Version 4 came with Socket.IO 3.
public enum EngineVersion: UInt8, Sendable {
    case v3 = 3
    case v4 = 4
}
