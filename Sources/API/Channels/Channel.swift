import Relay
import Rooms
import Wire

/// A kind of news that a connection may subscribe to.
enum Channel: String, CaseIterable {
    case profiles = "profile_updates"
    case wallets = "wallet_updates"
    case messages, moods

    /// The channel of an event, and its name there.
    static func named(_ event: PersonalEvent) -> (channel: Channel, type: String)? {
        switch event.name {
        case "profile:created": (.profiles, "profile_created")
        case "profile:updated": (.profiles, "profile_updated")
        case "profile:deleted": (.profiles, "profile_deleted")
        case "wallet:balance": (.wallets, "wallet_balance_changed")
        case "inbox:message": (.messages, "message_received")
        case "mood:created": (.moods, "mood_created")
        case "mood:updated": (.moods, "mood_updated")
        case "mood:deleted": (.moods, "mood_deleted")
        default: nil
        }
    }
}

/// What a client of channels says.
enum ChannelRequest: Equatable {
    case authenticate(token: String)
    case subscribe([Channel])
    case unsubscribe([Channel])
    case ping

    /// Reads a message, or says in words for the client what is wrong with it.
    static func read(_ message: Span<UInt8>) -> Result<ChannelRequest, APIError> {
        let bytes = message.withUnsafeBufferPointer { Array($0) }
        guard let json = try? JSONReader(bytes), json.kind == .object else {
            return .failure(APIError(400, .validation, "A message must be a JSON object."))
        }
        switch json["type"]?.string {
        case "authenticate":
            guard let token = json["token"]?.string else { return .failure(.invalid("token", "must be a text.")) }
            return .success(.authenticate(token: token))
        case "subscribe": return channels(json).map { .subscribe($0) }
        case "unsubscribe": return channels(json).map { .unsubscribe($0) }
        case "ping": return .success(.ping)
        default:
            return .failure(.invalid("type", "must be authenticate, subscribe, unsubscribe or ping."))
        }
    }

    private static func channels(_ json: JSONReader) -> Result<[Channel], APIError> {
        let names = json["channels"]?.items?.map { $0.string.flatMap { Channel(rawValue: $0) } }
        guard let names, !names.isEmpty, !names.contains(nil) else {
            let known = Channel.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(.invalid("channels", "must be a list of channels: \(known)."))
        }
        return .success(names.compactMap(\.self))
    }
}

/// What a client of channels is told.
enum ChannelAnswer {
    static func make(_ type: String, _ write: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("type", type)
            write(&json)
            json.endObject()
        }
        return bytes
    }

    static func failure(_ error: APIError) -> [UInt8] {
        make("error") { json in
            let body = Interspace.encode(error).body
            if let inner = (try? JSONReader(body))?["error"] { json.member("error", raw: inner.json.span) }
        }
    }

    static func subscribed(_ channels: Set<Channel>) -> [UInt8] {
        make("subscribed") { json in
            json.key("channels")
            json.beginArray()
            for channel in Channel.allCases where channels.contains(channel) { json.string(channel.rawValue) }
            json.endArray()
        }
    }

    static func event(_ event: PersonalEvent, _ channel: Channel, _ type: String) -> [UInt8] {
        make(type) { json in
            json.member("channel", channel.rawValue)
            json.member("data", raw: event.argument.span)
        }
    }
}
