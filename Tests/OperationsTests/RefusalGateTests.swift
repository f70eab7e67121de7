import Testing

@testable import Operations

@Suite("Refused operators' tokens")
struct RefusalGateTests {
    private func line(_ own: Int, others: Int = 0) -> RefusalGate.Line { .init(own: own, others: others) }

    @Test("get one line a minute for an address, which counts those that got none")
    func oneAddress() {
        var gate = RefusalGate()
        #expect(gate.refused("a", at: 1_000) == line(1))
        for second: Int64 in 2...40 { #expect(gate.refused("a", at: second * 1_000) == nil) }
        #expect(gate.refused("b", at: 41_000) == line(1))
        #expect(gate.refused("a", at: 61_000) == line(40))
        #expect(gate.refused("a", at: 62_000) == nil)
    }

    @Test("get at most sixty lines a minute, from however many addresses, and the next line counts the others")
    func manyAddresses() {
        var gate = RefusalGate()
        let lines = (0..<5_000).compactMap { gate.refused("address \($0)", at: 1_000) }
        #expect(lines == Array(repeating: line(1), count: RefusalGate.linesMax))
        #expect(gate.refused("another", at: 70_000) == line(1, others: 5_000 - RefusalGate.linesMax))
    }

    @Test("get a line of each address, however many others have been there, and each refusal is told once")
    func oneByOne() {
        var gate = RefusalGate()
        let (count, apart): (Int64, Int64) = (2_000, 6_000)
        var told = 0
        for number in 0..<count {
            let first = gate.refused("address \(number)", at: number * apart)
            #expect(first?.own == 1)
            #expect(gate.refused("address \(number)", at: number * apart + 1) == nil)
            told += (first?.own ?? 0) + (first?.others ?? 0)
        }
        let last = gate.refused("a stranger", at: count * apart + 60_000)
        #expect(last?.own == 1 && told + 1 + (last?.others ?? 0) == 2 * Int(count) + 1)
    }

    @Test("that got no line are told as those of their address when it comes first, and as those of others when not")
    func later() {
        for (next, expected) in [("a", line(5)), ("b", line(1, others: 4))] {
            var gate = RefusalGate()
            for second: Int64 in 1...5 { _ = gate.refused("a", at: second * 1_000) }
            #expect(gate.refused(next, at: 7_200_000) == expected)
        }
    }

    @Test("are counted again when the clock is set back")
    func clockGoesBack() {
        var gate = RefusalGate()
        #expect(gate.refused("a", at: 100_000) == line(1))
        #expect(gate.refused("a", at: 10_000) == line(1))
    }
}
