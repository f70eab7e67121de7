import API
import Accounts
import Store
import Threads
import Wire

/// The keys that sign the tokens of accounts.
extension Command {
    static let keys = Command(
        name: "keys", usage: "keys [--data DIR | --store-file FILE] list|rotate|revoke",
        summary: "Show and change the keys that sign the tokens of accounts.", page: { keysPage }
    ) { context in
        run(context, "keys", operand: "ACTION: list, rotate or revoke", flags: ["store"], page: keysPage) {
            options throws(StoreError) in
            let (place, now) = (options.place ?? .directory(options.data), Clock.unixSeconds())
            switch options.operand {
            case "list":
                let keys = try AccountTool.keys(in: place).inUse(at: now)
                for (index, key) in keys.enumerated() { context.standardOutput(line(keys, index, now) + key.id + "\n") }
            case "rotate", "revoke":
                let key = SigningKeyRecord.random(now: now)
                try AccountTool.addKey(key, isOnly: options.operand == "revoke", in: place)
                context.standardOutput("The new key is \(key.id).\n")
            default: return context.refuse("keys can list, rotate or revoke.", help: "rooms help keys")
            }
            return .ok
        }
    }

    /// A key's time and state. A key signs from a minute after its making until the next one does.
    private static func line(_ keys: [SigningKeyRecord], _ index: Int, _ now: Int64) -> String {
        let signing = keys.firstIndex { $0.createdAt <= now - KeyTimes.newSeconds } ?? keys.count - 1
        let state =
            if index == signing {
                "signs"
            } else if index < signing {
                "signs soon"
            } else {
                "verifies until \(UTCTime.text(keys[index - 1].createdAt + StoreLimits().replacedKeySecondsMax))"
            }
        let padding = String(repeating: " ", count: max(0, 38 - state.count))
        return "made \(UTCTime.text(keys[index].createdAt))  \(state)\(padding)"
    }
}

private let keysPage = """
    Usage: rooms keys [--data DIR | --store-file FILE] list|rotate|revoke

    The keys that sign the tokens of accounts.
      list    Shows the keys, the newest first: which one signs, and until when the others verify.
      rotate  Adds a key. Servers that use the place sign with it after a minute. The key before
              verifies its tokens until the last of them has ended, a day later, and then goes by
              itself. Past eight keys the oldest goes at once.
      revoke  Adds a key and removes all others: after a theft of the database. Within a minute their
              tokens are worth nothing. Clients with a refresh token get new ones; the users of
              others sign in again. One-time codes that are on their way are void.

    \(placeOptions)

    """
