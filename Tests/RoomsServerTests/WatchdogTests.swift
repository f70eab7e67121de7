import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import RoomsServer

@Suite("Watchdog")
struct WatchdogTests {
    private final class NoAnswers: HTTPService {
        func handle(_ exchange: HTTPExchange) {}
    }

    private func waitUntil(_ condition: () -> Bool) -> Bool {
        for _ in 0..<500 {
            if condition() { return true }
            usleep(10_000)
        }
        return false
    }

    @Test func aLoopThatHangsIsNoticedAndOneThatGoesOnIsToo() throws {
        var configuration = TransportConfiguration()
        configuration.shardCount = 2
        let server = try TransportServer(configuration) { _ in NoAnswers() }
        defer { server.stop() }
        let check = LoopCheck(server.mailboxes)
        check.ask()
        #expect(waitUntil { check.haveAnswered })
        let hangs = Counter()
        hangs.add()
        server.mailboxes[1].post { _ in while hangs.value > 0 { usleep(1_000) } }
        check.ask()
        usleep(200_000)
        #expect(!check.haveAnswered)
        hangs.subtract()
        #expect(waitUntil { check.haveAnswered })
    }

    @Test func theTimeIsTheServiceManagersAndOnlyForTheProcessThatItMeans() {
        #expect(ServiceManager([:]).watchdogMilliseconds == nil)
        #expect(ServiceManager(["WATCHDOG_USEC": "30000000"]).watchdogMilliseconds == 30_000)
        #expect(ServiceManager(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]).watchdogMilliseconds == nil)
        let ours = ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]
        #expect(ServiceManager(ours).watchdogMilliseconds == 30_000)
        #expect(ServiceManager(["WATCHDOG_USEC": "soon"]).watchdogMilliseconds == nil)
    }
}
