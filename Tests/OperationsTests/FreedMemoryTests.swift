import Testing

@testable import Operations

@Suite("Freed memory")
struct FreedMemoryTests {
    @Test("is given back when it is much as such and beside what is in use")
    func decision() {
        let megabytes: [(own: Int, inUse: Int, isMuch: Bool)] = [
            (3, 0, false), (4, 0, true), (12, 3, true), (12, 9, false),
            (700, 690, false), (700, 400, true), (700, 500, false),
        ]
        for (own, inUse, isMuch) in megabytes {
            #expect(FreedMemory.isMuch(own << 20, inUse: inUse << 20) == isMuch, "\(own) \(inUse)")
        }
    }
}
