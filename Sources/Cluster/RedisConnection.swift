import RoomsClient
import Wire

/// The user of a connection to Redis. All calls come on the loop's thread.
protocol RedisConnectionOwner: AnyObject {
    /// The connection is open and authenticated.
    func connected(_ connection: RedisConnection)
    func answered(_ value: RESPValue, by connection: RedisConnection)
    func ended(_ connection: RedisConnection, _ reason: String)
}

/// One connection to a Redis server, through which commands go out and values come back.
final class RedisConnection: ByteStreamOwner {
    /// Redis's own bound of a value is 512 MB; no frame of ours comes near it.
    private static let valueBytesMax = 64 << 20
    private static let connectMilliseconds: Int64 = 3_000

    private let server: RedisServer
    private weak var owner: (any RedisConnectionOwner)?
    private var stream: ByteStream?
    private var reader = RESPReader(bulkBytesMax: RedisConnection.valueBytesMax)
    /// Answers that come before the owner is told anything.
    private var greetings = 0
    private(set) var isConnected = false

    init(_ loop: ClientLoop, _ server: RedisServer, _ trust: TLSTrust?, owner: any RedisConnectionOwner) {
        self.server = server
        self.owner = owner
        let stream = ByteStream(loop, server.url, server.isSecure ? trust : nil, owner: self)
        self.stream = stream
        stream.open(timeoutMilliseconds: Self.connectMilliseconds)
    }

    func send(_ words: [[UInt8]]) {
        stream?.write { RESPCommand.append(words, to: &$0) }
    }

    func send(_ words: String...) { send(words.map { Array($0.utf8) }) }

    func close() {
        isConnected = false
        stream?.close()
        stream = nil
    }

    // MARK: The stream

    package func streamOpened() {
        guard server.sentinelName == nil else {
            isConnected = true
            owner?.connected(self)
            return
        }
        if let password = server.password {
            greetings += 1
            if let user = server.user { send("AUTH", user, password) } else { send("AUTH", password) }
        }
        // A replica accepts what is published, and carries it nowhere.
        greetings += 1
        send("ROLE")
    }

    package func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
        reader.append(UnsafeRawBufferPointer(bytes))
        do throws(RESPReader.Fault) {
            while stream != nil, let value = try reader.next() { take(value) }
        } catch {
            end("it does not speak Redis's protocol")
        }
    }

    private func take(_ value: RESPValue) {
        guard greetings > 0 else {
            owner?.answered(value, by: self)
            return
        }
        greetings -= 1
        switch value {
        case .error(let words) where !words.hasPrefix("NOPERM"): return end(words)
        case .array(let role):
            if let role, case .bulk(let name?) = role.first, name != Array("master".utf8) {
                return end("it is a \(String(decoding: name, as: UTF8.self)), not the primary")
            }
        default: break
        }
        guard greetings == 0 else { return }
        isConnected = true
        owner?.connected(self)
    }

    package func streamDrained() {}

    package func streamEnded(_ reason: String) {
        stream = nil
        isConnected = false
        // It has accepted the connection and answered nothing.
        let speaksTLS = greetings > 0 && !server.isSecure
        owner?.ended(
            self, speaksTLS ? "\(reason) (before it greeted: if the port speaks TLS alone, use rediss://)" : reason)
    }

    private func end(_ reason: String) {
        close()
        owner?.ended(self, reason)
    }
}
