import Testing

@testable import Operations

@Suite("Problems")
struct ProblemTests {
    @Test("are none when all is well")
    func none() {
        #expect(ProblemFacts().problems.isEmpty)
        var good = ProblemFacts()
        (good.isStoreGood, good.load, good.connections, good.connectionsMax) = (true, 0.5, 80, 100)
        (good.descriptors, good.descriptorsMax, good.isCarried, good.leaseMilliseconds) = (50, 1_024, true, 500)
        #expect(good.problems.isEmpty)
    }

    private struct Sample {
        let says: String
        let isGrave: Bool
        let change: @Sendable (inout ProblemFacts) -> Void

        init(_ says: String, isGrave: Bool = true, _ change: @escaping @Sendable (inout ProblemFacts) -> Void) {
            (self.says, self.isGrave, self.change) = (says, isGrave, change)
        }
    }

    private static let samples = [
        Sample("The store fails") { $0.isStoreGood = false },
        Sample("The bans cannot be read") { $0.areBansRead = false },
        Sample("Changes wait up to 2.5 s", isGrave: false) { $0.appendSeconds = 2.5 },
        Sample("9 MB of changes are not stored") { $0.backlogBytes = 9 << 20 },
        Sample("Loop 1 does not answer") { $0.hangingLoops = [1] },
        Sample("Loops 0, 2 do not answer") { $0.hangingLoops = [0, 2] },
        Sample("busy 95 % of the time") { $0.load = 0.95 },
        Sample("95 of 100 connections", isGrave: false) { ($0.connections, $0.connectionsMax) = (95, 100) },
        Sample("100 of 100 connections") { ($0.connections, $0.connectionsMax) = (100, 100) },
        Sample("980 of 1024 files") { ($0.descriptors, $0.descriptorsMax) = (980, 1_024) },
        Sample("read too slowly", isGrave: false) { $0.lostMembers = 0.2 },
        Sample("refuse 3.2 events a second", isGrave: false) { $0.refusedByRate = 3.21 },
        Sample("SERVER_ERROR") { $0.serverErrors = 1 },
        Sample("Redis cannot be reached") { ($0.isCarried, $0.nodesNotReached) = (false, [2]) },
        Sample("does not reach nodes 2, 3") { ($0.isCarried, $0.nodesNotReached) = (true, [2, 3]) },
        Sample("The version of node 4 does not fit") { ($0.isCarried, $0.strangers) = (true, [4]) },
        Sample("renewed 2.5 s ago") { $0.leaseMilliseconds = 2_500 },
        Sample("reaches neither PostgreSQL nor Redis") {
            ($0.isCutOff, $0.isDraining, $0.isCarried, $0.leaseMilliseconds) = (true, true, false, 9_000)
        },
        Sample("3 operators' tokens were refused", isGrave: false) { $0.refusedTokens = 3 },
        Sample("This server ends", isGrave: false) { $0.isDraining = true },
    ]

    @Test("are each told once, with what to do")
    func each() {
        for sample in Self.samples {
            var facts = ProblemFacts()
            sample.change(&facts)
            let problems = facts.problems
            #expect(problems.count == 1, "\(sample.says)")
            #expect(problems.first?.text.contains(sample.says) == true, "\(problems)")
            #expect(problems.first?.isGrave == sample.isGrave, "\(sample.says)")
            #expect(problems.first?.advice.hasSuffix(".") == true, "\(sample.says)")
        }
    }

    @Test("come with the grave ones first")
    func order() {
        var facts = ProblemFacts()
        (facts.isDraining, facts.lostMembers, facts.isStoreGood, facts.load) = (true, 1, false, 1)
        let grave = facts.problems.map(\.isGrave)
        #expect(grave == [true, true, false, false])
    }
}
