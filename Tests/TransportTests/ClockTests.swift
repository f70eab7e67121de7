import Glibc
import Testing
import Transport

@Suite struct ClockTests {
    /// A provider of tokens on the same computer issues one at the beginning of a second, and the server checks it at once.
    @Test func theSecondsAreThoseThatOtherProgramsRead() throws {
        let server = try TestServer(shards: 1, handler: Routes().handler)
        let seconds = server.onShard(0) { shard in
            let before = Self.realSeconds()
            while Self.realSeconds() == before {}
            return (read: Self.realSeconds(), told: shard.unixSeconds)
        }
        let (read, told) = try #require(seconds)
        #expect(read == told)
    }

    private static func realSeconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}
