import Sessions
import Transport
import Wire

// The environment of the relay in a server: the loop, the mailboxes, the sessions and the sockets.

extension Shard: RelayLoop {
    package func countedAddress(of peer: PeerAddress) -> IPAddress? { server.countedAddress(of: peer) }

    package func randomNumber() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension ShardMailbox: RelayMailbox {}

extension RelayMessage: ShardItem {
    package func arrive(on shard: Shard) {
        shard.local(Relay.self)?.receive(self)
    }
}

extension EngineSession: RelaySession {
    package var peer: PeerAddress { handshake.peer }
    package var isSecure: Bool { handshake.isSecure }
    package var isDraining: Bool { service.isDraining }
    package var canReturn: Bool { version == .v4 }
    package var takesBinaryFrames: Bool { version == .v4 }
}

extension Socket: RelaySocket {
    package var relaySession: any RelaySession { session }

    @discardableResult
    package func emit(_ event: String, _ arguments: [UInt8]) -> Bool { emit(event, arguments, attachments: []) }

    package func acknowledge(_ call: SocketCall, _ arguments: [UInt8]) {
        acknowledge(call, arguments, attachments: [])
    }
}

extension ConnectRequest: RelayConnect {
    package var relaySocket: any RelaySocket { socket }
}
