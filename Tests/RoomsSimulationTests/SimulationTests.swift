import RoomsSimulation
import Testing

@Suite("The simulation")
struct SimulationTests {
    /// A failure names its seed: `make simulate ARGS="--seed N --seeds 1"` shows the way there.
    @Test("Rooms keep their promises with slow, stalling, vanishing and returning clients", arguments: 0..<20)
    func promises(part: Int) throws {
        for seed in 0..<60 { try Simulation(seed: UInt64(1_000 + part * 100 + seed)).run(steps: 300) }
    }

    @Test("Every order of edits converges, on one server and in a cluster", arguments: [false, true])
    func texts(isCluster: Bool) throws {
        var landmarks: [SimulationLandmark: Int] = [:]
        for seed in 0..<(isCluster ? 40 : 200) {
            let simulation = Simulation(seed: UInt64(seed), isCluster: isCluster, isAboutTexts: true)
            try simulation.run(steps: 300)
            landmarks.merge(simulation.landmarks, uniquingKeysWith: +)
        }
        for landmark in [SimulationLandmark.merged, .resentEdit, .editConflict] {
            #expect(landmarks[landmark, default: 0] >= 2, "\(landmark.rawValue)")
        }
    }

    @Test("Long runs keep them too")
    func long() throws {
        for seed in 0..<4 { try Simulation(seed: UInt64(1_000_000 + seed)).run(steps: 2_000) }
    }

    @Test("A planted bug is found", arguments: SimulationFault.ofServers)
    func faults(fault: SimulationFault) {
        for seed in 0..<400 {
            do throws(Simulation.Failure) {
                try Simulation(seed: UInt64(seed), fault: fault).run(steps: 300)
            } catch {
                return
            }
        }
        Issue.record("\(fault.rawValue) was not found with 400 seeds")
    }

    @Test("Everything that can go wrong comes up")
    func landmarks() throws {
        var landmarks: [SimulationLandmark: Int] = [:]
        for seed in 0..<800 {
            let simulation = Simulation(seed: UInt64(seed))
            try simulation.run(steps: 400)
            landmarks.merge(simulation.landmarks, uniquingKeysWith: +)
        }
        for landmark in SimulationLandmark.ofServers {
            #expect(landmarks[landmark, default: 0] >= 2, "\(landmark.rawValue)")
        }
    }

    @Test("A seed does the same again, and a trace changes nothing")
    func deterministic() throws {
        let first = try #require((0..<400).lazy.compactMap { failure(of: $0, isTraced: false) }.first)
        for isTraced in [false, true] {
            let again = try #require(failure(of: first.seed, isTraced: isTraced))
            #expect((again.step, again.problem) == (first.step, first.problem))
            #expect(again.trace.isEmpty != isTraced)
        }
    }

    @Test("An hour of chaos is replayed from its recorded inputs, byte for byte")
    func hour() throws {
        let simulation = Simulation(seed: 3, recordsFlights: true)
        try simulation.run(milliseconds: 3_600_000)
        let report = try #require(try simulation.replayFlights())
        #expect(report.differences == [])
        #expect(report.deltas > 500 && report.segments > report.flights, "\(report)")
    }

    @Test("So is what happens with all kinds of rooms, on one server and in a cluster", arguments: [false, true])
    func flights(isCluster: Bool) throws {
        var inputs = 0
        for seed in 0..<30 {
            let simulation = Simulation(seed: UInt64(500 + seed), isCluster: isCluster, recordsFlights: true)
            try simulation.run(steps: 300)
            let report = try #require(try simulation.replayFlights())
            #expect(report.differences == [], "seed \(500 + seed)")
            inputs += report.inputs
        }
        #expect(inputs > 1_600)
    }

    private func failure(of seed: UInt64, isTraced: Bool) -> Simulation.Failure? {
        do throws(Simulation.Failure) {
            try Simulation(seed: seed, fault: .losesTail, isTraced: isTraced).run(steps: 300)
            return nil
        } catch {
            return error
        }
    }
}
