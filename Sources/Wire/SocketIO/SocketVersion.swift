/// The revision of the Socket.IO protocol; it follows from the one of Engine.IO below it.
///
/// In version 4 the default namespace is connected without being asked, CONNECT carries no data but a query behind the
/// namespace's name, and a refusal (ERROR) carries any JSON. In version 5 CONNECT and CONNECT_ERROR carry objects.
public enum SocketVersion: UInt8, Sendable {
    case v4 = 4
    case v5 = 5

    @inlinable
    public init(_ engine: EngineVersion) { self = engine == .v3 ? .v4 : .v5 }
}
