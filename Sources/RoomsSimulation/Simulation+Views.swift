/// Where touches are, and which of them clients want to see.
extension Simulation {
    private static let placeCount = 64

    /// Near the last one, or anywhere.
    func nextPlace(of client: ModelClient) -> Int {
        let step = random.pick([-1, 1, nil, nil]) ?? nil
        let place = step.map { client.place + $0 } ?? random.below(Self.placeCount)
        client.place = min(max(place, 0), Self.placeCount - 1)
        return client.place * ModelClient.Position.placeSize
    }

    /// Whether a member may have been put out of a room since the last quiet moment, and be in it again.
    func mayHaveBeenOut(_ client: ModelClient, _ room: Int) -> Bool {
        let isAlone = !clients.contains { $0.person == client.person && $0 !== client }
        return departures.contains("\(client.person)/\(room)") || !isAlone
    }

    /// The client wants to see some places, or everything.
    func look(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        let size = ModelClient.Position.placeSize
        var area = ""
        if random.percent(85) {
            let top = random.percent(50) ? random.below(Self.placeCount) : client.place - random.below(4)
            let count = random.pick([5, 20, 40]) ?? 1
            area = ",\"x\":-5,\"y\":\(top * size - size / 2),\"width\":1000000,\"height\":\(count * size)"
        }
        send("view:set", area, .look(room: room), client, connection, room)
    }
}
