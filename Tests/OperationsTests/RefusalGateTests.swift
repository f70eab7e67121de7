import Testing

@testable import Operations

@Suite("Refused operators' tokens")
struct RefusalGateTests {
    @Test("get one line a minute for an address, which counts those that got none")
    func oneAddress() {
        var gate = RefusalGate()
        #expect(gate.refused("a", at: 1_000) == 1)
        for second: Int64 in 2...40 { #expect(gate.refused("a", at: second * 1_000) == nil) }
        #expect(gate.refused("b", at: 41_000) == 1)
        #expect(gate.refused("a", at: 61_000) == 40)
        #expect(gate.refused("a", at: 62_000) == nil)
    }

    @Test("get at most sixty lines a minute, from however many addresses, and the next line counts the others")
    func manyAddresses() {
        var gate = RefusalGate()
        let lines = (0..<5_000).compactMap { gate.refused("address \($0)", at: 1_000) }
        #expect(lines == Array(repeating: 1, count: RefusalGate.linesMax))
        #expect(gate.refused("another", at: 70_000) == 5_000 - RefusalGate.linesMax + 1)
    }

    @Test("get lines although as many addresses as are remembered have sent some and are gone")
    func oneByOne() {
        var gate = RefusalGate()
        let (count, each) = (2 * RefusalGate.addressesMax, RefusalGate.millisecondsEach / 10)
        var told = 0
        for number in 0..<count {
            let now = Int64(number) * each
            told += [now, now + 1].compactMap { gate.refused("address \(number)", at: $0) }.reduce(0, +)
        }
        let line = gate.refused("a stranger", at: Int64(count) * each + RefusalGate.millisecondsEach)
        // Each refusal is told once.
        #expect(told + (line ?? 0) == 2 * count + 1)
    }

    @Test("are counted again when the clock is set back")
    func clockGoesBack() {
        var gate = RefusalGate()
        #expect(gate.refused("a", at: 100_000) == 1)
        #expect(gate.refused("a", at: 10_000) == 1)
    }
}
