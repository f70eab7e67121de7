import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite("A shard's mailbox")
struct ShardMailboxTests {
    private func serve(shards: Int = 1) throws -> TestServer {
        try TestServer(shards: shards) { exchange, _ in exchange.respond(200) }
    }

    @Test func jobsOfOneThreadRunInTheirOrder() throws {
        let server = try serve()
        let seen = Kept<[Int]>([])
        for index in 0..<10_000 { #expect(server.server.mailboxes[0].post { _ in seen.value.append(index) }) }
        server.onShard { _ in }
        #expect(seen.value == Array(0..<10_000))
    }

    @Test func stormsFromManyThreadsLoseNothing() throws {
        let server = try serve(shards: 2)
        let seen = Kept<[[Int]]>(Array(repeating: [], count: 8))
        let done = DispatchGroup()
        for thread in 0..<8 {
            done.enter()
            Thread.detachNewThread {
                for index in 0..<2_000 {
                    server.server.mailboxes[1].post { _ in seen.value[thread].append(index) }
                }
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + .seconds(patienceSeconds)) == .success)
        server.onShard(1) { _ in }
        for thread in 0..<8 { #expect(seen.value[thread] == Array(0..<2_000)) }
    }

    @Test func shardsMayPostToOneAnotherWithoutEnd() throws {
        let server = try serve(shards: 2)
        let mailboxes = server.server.mailboxes
        let rounds = Counter()
        let done = Mark<Bool>()
        @Sendable func bounce(_ shard: Shard) {
            if rounds.add() == 20_000 { return done.set(true) }
            mailboxes[1 - shard.index].post(bounce)
        }
        mailboxes[0].post(bounce)
        #expect(done.wait() == true)
    }

    @Test func aFullBoxRefusesButNotTheOrderToStop() throws {
        let server = try serve()
        let begun = Mark<Bool>()
        let goOn = DispatchSemaphore(value: 0)
        server.server.mailboxes[0].post { _ in
            begun.set(true)
            goOn.wait()
        }
        #expect(begun.wait() == true)
        let ran = Counter()
        var posted = 0
        while server.server.mailboxes[0].post({ _ in ran.add() }) { posted += 1 }
        #expect(posted == ShardMailbox.itemsMax)
        Thread.detachNewThread {
            usleep(50_000)
            goOn.signal()
        }
        server.server.stop()
        #expect(ran.value == posted)
    }

    @Test func whatIsPostedAfterTheEndIsRefusedAndLetGoOf() throws {
        let server = try serve()
        server.server.stop()
        weak var held: Kept<Int>?
        do {
            let object = Kept(1)
            held = object
            #expect(!server.server.mailboxes[0].post { _ in object.value += 1 })
        }
        #expect(held == nil)
    }
}
