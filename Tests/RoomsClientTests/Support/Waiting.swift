import RoomsClient
import Testing

/// Waits until something holds, and says whether it came to.
func eventually(within seconds: Double = 30, _ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return try await condition()
}

/// What a client is told, collected.
final class Told: Sendable {
    private let events = EventList()
    private let task: Task<Void, Never>

    init(_ client: RoomsClient) {
        let incoming = client.events()
        let events = events
        task = Task {
            for await event in incoming { await events.append(event) }
        }
    }

    deinit {
        task.cancel()
    }

    var all: [RoomsEvent] { get async { await events.all } }

    /// Waits for an event that `wanted` accepts.
    @discardableResult
    func wait(
        within seconds: Double = 30, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        for wanted: (RoomsEvent) -> Bool
    ) async throws -> RoomsEvent {
        _ = await eventually(within: seconds) { await all.contains(where: wanted) }
        let found = await all.first(where: wanted)
        let told = await all.map { "\($0)".prefix(200) }
        return try #require(found, comment ?? "not told, but \(told)", sourceLocation: sourceLocation)
    }

    func count(_ wanted: (RoomsEvent) -> Bool) async -> Int { await all.count(where: wanted) }
}

private actor EventList {
    private(set) var all: [RoomsEvent] = []

    func append(_ event: RoomsEvent) { all.append(event) }
}

/// A client that is connected.
func participant(
    _ name: String, _ url: String, _ configure: (inout ClientConfiguration) -> Void = { _ in }
) async throws -> RoomsClient {
    var configuration = ClientConfiguration()
    configuration.token = name
    configuration.backoff = Backoff(firstMilliseconds: 20, maxMilliseconds: 200)
    configure(&configuration)
    let client = try RoomsClient(url, configuration: configuration)
    try await client.connect(within: .seconds(30))
    return client
}
