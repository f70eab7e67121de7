import Testing
import Transport

@testable import Sessions

@Suite("Sessions without an accepted CONNECT")
struct PendingSessionsTests {
    private let id = { SessionID(shard: 0) }

    /// As `ServerState.countedAddress`: a network of 64 bits of IPv6 is one address.
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("addresses of one network have half of them together, and one address a quarter")
    func shares() throws {
        var pending = PendingSessions(most: 16)
        for number in 0..<5 {
            let expected: PendingSessions.Beginning = number < 4 ? .taken(from: nil) : .refused(.addressFull)
            #expect(pending.begin(id(), try address("192.0.2.1")) == expected)
        }
        for number in 0..<12 {
            let expected: PendingSessions.Beginning = number < 8 ? .taken(from: nil) : .refused(.addressFull)
            #expect(pending.begin(id(), try address("2001:db8:7:\(number)::")) == expected)
        }
        #expect(pending.count == 12)
    }

    @Test("when all are taken, a newcomer takes the place of the oldest of the network that has the most")
    func places() throws {
        var pending = PendingSessions(most: 6)
        let ids = (0..<6).map { _ in id() }
        // The second of these networks has the most.
        let hosts = ["192.0.2.1", "198.51.100.1", "198.51.100.2", "192.0.2.2", "198.51.100.3", "203.0.113.1"]
        for (id, host) in zip(ids, hosts) {
            #expect(pending.begin(id, try address(host)) == .taken(from: nil))
        }
        #expect(pending.begin(id(), try address("2001:db8::")) == .taken(from: ids[1]))
        // All places are taken still, and what has lost its place ends later.
        pending.end(ids[1])
        #expect(pending.count == 6)
        // Networks with as many as the one with the most wait for their turn.
        #expect(pending.begin(id(), try address("198.51.100.9")) == .refused(.pendingFull))
        #expect(pending.begin(id(), try address("192.0.2.9")) == .refused(.pendingFull))
        pending.end(ids[2])
        #expect(pending.begin(id(), try address("192.0.2.3")) == .taken(from: nil))
        #expect(pending.begin(id(), try address("2001:db8::")) == .taken(from: ids[0]))
    }

    @Test("clients that are not counted by an address share what there is, and lose no place")
    func uncounted() throws {
        var pending = PendingSessions(most: 2)
        #expect(pending.begin(id(), nil) == .taken(from: nil))
        #expect(pending.begin(id(), nil) == .taken(from: nil))
        #expect(pending.begin(id(), nil) == .refused(.pendingFull))
        #expect(pending.begin(id(), try address("192.0.2.1")) == .refused(.pendingFull))
        var others = PendingSessions(most: 2)
        for host in ["192.0.2.1", "198.51.100.1"] {
            #expect(others.begin(id(), try address(host)) == .taken(from: nil))
        }
        #expect(others.begin(id(), nil) == .refused(.pendingFull))
    }

    @Test("without a bound nobody is refused")
    func boundless() throws {
        var pending = PendingSessions(most: 0)
        for _ in 0..<100 { #expect(pending.begin(id(), try address("192.0.2.1")) == .taken(from: nil)) }
    }

    @Test("it agrees with counting anew each time")
    func model() throws {
        var state: UInt64 = 46
        func pick(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        var pending = PendingSessions(most: 12)
        var model: [(id: SessionID, address: IPAddress?)] = []
        func count(_ network: AddressBlock?) -> Int {
            model.count { network != nil && $0.address?.network() == network }
        }
        for _ in 0..<20_000 {
            if pick(3) == 0, !model.isEmpty {
                pending.end(model.remove(at: pick(model.count)).id)
                continue
            }
            let network = pick(8)
            let address = network == 0 ? nil : IPAddress("10.0.\(network).\(1 + pick(3))")
            let (new, own) = (id(), count(address?.network()))
            let greatest = model.map { count($0.address?.network()) }.max() ?? 0
            let isShared = address == nil || (own < 6 && model.count { $0.address == address } < 3)
            switch pending.begin(new, address) {
            case .taken(nil): #expect(model.count < 12 && isShared)
            case .taken(let displaced?):
                let place = try #require(model.firstIndex { $0.id == displaced })
                let loser = model.remove(at: place).address?.network()
                #expect(model.count == 11 && isShared && loser != nil && address != nil && greatest > own)
                #expect(model[..<place].allSatisfy { $0.address?.network() != loser })
                #expect(count(loser) == greatest - 1)
            case .refused(.pendingFull): #expect(model.count == 12 && (address == nil || greatest <= own))
            case .refused: #expect(!isShared)
            }
            if pending.count > model.count { model.append((new, address)) }
            #expect(pending.count == model.count)
        }
    }
}
