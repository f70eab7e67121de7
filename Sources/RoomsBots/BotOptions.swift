import RoomsClient

/// What bots are to do.
public struct BotOptions: Sendable {
    public enum Behaviour: String, Sendable, CaseIterable {
        case wander, draw, follow, idle, chaos
    }

    public enum Transport: String, Sendable, CaseIterable {
        case websocket, upgrade, polling
        /// Each bot another.
        case mixed
    }

    public var url = "http://127.0.0.1:8080"
    /// Bots are spread over these.
    public var rooms = ["lobby"]
    public var count = 10
    public var behaviour = Behaviour.wander
    /// Positions a second while a bot moves.
    public var hz = 30.0
    public var seed: UInt64 = 1
    /// Nil: until they are stopped.
    public var seconds: Double?
    /// Bots that come in a second.
    public var ramp = 200.0
    public var transport = Transport.websocket
    public var touchesInBatches = false
    public var trust: TLSTrust?
    /// Bots are called by this, a hyphen and a number.
    public var prefix = "bot"
    /// The token of a bot, by its name.
    public var token: @Sendable (_ name: String) -> String? = { $0 }
    /// The canvas that bots keep to.
    public var width = 1_200.0
    public var height = 800.0

    public init() {}
}
