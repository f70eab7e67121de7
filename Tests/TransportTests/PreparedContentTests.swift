import Testing
import Threads
import Transport

@Suite("A content that many clients get")
struct PreparedContentTests {
    @Test("is made when it is asked for, and once")
    func once() {
        let made = Locked(0)
        let content = PreparedContent(isTagged: true) {
            made.withLock { $0 += 1 }
            return [1, 2]
        }
        #expect(made.withLock { $0 } == 0)
        #expect(content.tag == PreparedContent([1, 2], isTagged: true).tag)
        #expect(content.bytes == [1, 2])
        #expect(made.withLock { $0 } == 1)
    }

    @Test("has a tag only if clients ask whether their copy is good still")
    func tag() {
        #expect(PreparedContent([1]).tag == nil)
        #expect(PreparedContent([1], isTagged: true).tag != PreparedContent([2], isTagged: true).tag)
    }
}
