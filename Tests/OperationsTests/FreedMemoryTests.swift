import Testing

@testable import Operations

@Suite("Freed memory")
struct FreedMemoryTests {
    @Test("is given back when it is much as such and beside what is in use")
    func decision() {
        let megabytes: [(own: Int, inUse: Int, isMuch: Bool)] = [
            (15, 0, false), (16, 0, true), (20, 5, false), (700, 690, false), (700, 400, true), (700, 500, false),
        ]
        for (own, inUse, isMuch) in megabytes {
            #expect(FreedMemory.isMuch(own << 20, inUse: inUse << 20) == isMuch, "\(own) \(inUse)")
        }
    }
}
