/// What the server tells a client in the open packet, the first of a session.
public struct EngineHandshake: Equatable, Sendable {
    public var sid: String
    public var offersWebSocket: Bool
    public var pingIntervalMilliseconds: Int
    public var pingTimeoutMilliseconds: Int
    /// The largest body that the client may send. Version 3 does not know it, and clients of it must not be told.
    public var maxPayload: Int

    public init(
        sid: String, offersWebSocket: Bool, pingIntervalMilliseconds: Int, pingTimeoutMilliseconds: Int,
        maxPayload: Int
    ) {
        self.sid = sid
        self.offersWebSocket = offersWebSocket
        self.pingIntervalMilliseconds = pingIntervalMilliseconds
        self.pingTimeoutMilliseconds = pingTimeoutMilliseconds
        self.maxPayload = maxPayload
    }

    /// Appends the packet's data, without its type: the keys of the protocol's text in its order.
    public func append(version: EngineVersion, to output: inout [UInt8]) {
        output.append(contentsOf: "{\"sid\":".utf8)
        output.appendJSONString(sid.utf8.span)
        output.append(contentsOf: (offersWebSocket ? ",\"upgrades\":[\"websocket\"]" : ",\"upgrades\":[]").utf8)
        output.append(contentsOf: ",\"pingInterval\":".utf8)
        DecimalInteger.append(pingIntervalMilliseconds, to: &output)
        output.append(contentsOf: ",\"pingTimeout\":".utf8)
        DecimalInteger.append(pingTimeoutMilliseconds, to: &output)
        if version == .v4 {
            output.append(contentsOf: ",\"maxPayload\":".utf8)
            DecimalInteger.append(maxPayload, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }
}
