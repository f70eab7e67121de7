import RoomsClient

/// What bots are to do.
package struct BotOptions: Sendable {
    package enum Behaviour: String, Sendable, CaseIterable {
        case wander, draw, follow, write, idle, chaos
    }

    package enum Transport: String, Sendable, CaseIterable {
        case websocket, upgrade, polling
        /// Each bot another.
        case mixed
    }

    package var url = "http://127.0.0.1:8080"
    /// Bots are spread over these.
    package var rooms = ["lobby"]
    package var count = 10
    package var behaviour = Behaviour.wander
    /// Positions a second while a bot moves.
    package var hz = 30.0
    package var seed: UInt64 = 1
    /// Nil: until they are stopped.
    package var seconds: Double?
    /// Bots that come in a second.
    package var ramp = 200.0
    package var transport = Transport.websocket
    package var touches = TouchForm.binary(decimals: 1)
    /// A bot gets the touches in a square of this side around its own; nil: all.
    package var view: Double?
    package var trust: TLSTrust?
    /// Bots are called by this, a hyphen and a number.
    package var prefix = "bot"
    /// The token of a bot, by its name.
    package var token: @Sendable (_ name: String) -> String? = { $0 }
    /// The canvas that bots keep to.
    package var width = 1_200.0
    package var height = 800.0

    package init() {}
}
