import Glibc

package enum Clock {
    /// Of the clock that never goes back.
    package static func milliseconds() -> Int64 { microseconds() / 1_000 }

    package static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Lets this thread sleep.
    package static func sleep(milliseconds: Int64) { usleep(UInt32(clamping: milliseconds * 1_000)) }

    /// Milliseconds since 1970.
    package static func unixMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Seconds since 1970, by the clock that other programs read. `time` may be some milliseconds behind it, and a token
    /// that was issued in this second would not be valid yet.
    package static func unixSeconds() -> Int64 { unixMilliseconds() / 1_000 }
}

/// The time since something began. To count the waits of a loop is not enough: each of them takes longer on a busy machine.
package struct Elapsed: Sendable {
    private let start = Clock.milliseconds()

    package init() {}

    package var milliseconds: Int { Int(Clock.milliseconds() - start) }
}
