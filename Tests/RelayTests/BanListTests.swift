import Store
import Testing
import Threads
import Transport

@testable import Relay

@Suite struct BanListTests {
    private let now = Clock.unixSeconds()

    private func ban(_ subject: BanSubject, for seconds: Int64 = 100) -> Ban {
        Ban(subject, reason: "", madeAt: now, endsAt: now + seconds)
    }

    private func peer(_ address: String) throws -> PeerAddress { PeerAddress(try #require(IPAddress(address))) }

    @Test func aBanHoldsUntilItsEndOrUntilItIsLifted() {
        let list = BanList()
        let ada = BanSubject(.person, "ada")
        list.put(ban(ada))
        #expect(list.end(ofPerson: "ada", at: now) == now + 100)
        #expect(list.end(ofPerson: "ada", at: now + 100) == nil)
        #expect(list.end(ofPerson: "Ada", at: now) == nil)
        #expect(list.lift(ada) && !list.lift(ada) && list.end(ofPerson: "ada", at: now) == nil)
    }

    /// Swift's strings are equal when Unicode treats them as the same text.
    @Test func usersWithOtherBytesAreOthers() {
        let list = BanList()
        list.put(ban(BanSubject(.person, "caf\u{e9}")))
        #expect(
            list.end(ofPerson: "caf\u{e9}", at: now) != nil
                && list.end(ofPerson: "cafe\u{301}", at: now) == nil)
    }

    @Test func anAddressIsBannedWithItsNetworkOfIPv6() throws {
        let list = BanList()
        list.put(ban(.address(try #require(IPAddress("2001:db8:0:7::1")))))
        list.put(ban(.address(try #require(IPAddress("192.0.2.1")))))
        for address in ["2001:db8:0:7::1", "2001:db8:0:7:9::", "192.0.2.1", "::ffff:192.0.2.1"] {
            #expect(list.barrier(for: try peer(address), at: now) != nil, "\(address)")
        }
        for address in ["2001:db8:0:8::1", "192.0.2.2"] {
            #expect(list.barrier(for: try peer(address), at: now) == nil)
        }
        // The id of a user may look like an address.
        #expect(list.end(ofPerson: "192.0.2.1", at: now) == nil)
    }

    @Test func theNumberOfBansIsBounded() {
        let list = BanList(most: 2)
        #expect(list.put(ban(BanSubject(.person, "a"))) && list.put(ban(BanSubject(.person, "b"), for: 50)))
        #expect(!list.put(ban(BanSubject(.person, "c"))) && list.put(ban(BanSubject(.person, "a"))))
        #expect(list.all(at: now).map(\.subject.id) == ["b", "a"])
        // Those that have ended make room.
        #expect(list.put(ban(BanSubject(.person, "b"), for: -1)) && list.put(ban(BanSubject(.person, "c"))))
    }

    @Test func whatTheStoreHasTakesThePlaceOfAll() {
        let list = BanList()
        list.put(ban(BanSubject(.person, "a")))
        list.put(ban(BanSubject(.person, "b")))
        let new = list.replace(
            by: [ban(BanSubject(.person, "b")), ban(BanSubject(.person, "c"))], changeCount: list.changeCount)
        #expect(new.map(\.subject.id) == ["c"] && list.all(at: now).map(\.subject.id) == ["b", "c"])
    }

    @Test func aBanThatWasMadeWhileTheStoreWasAskedStays() {
        let list = BanList()
        let before = list.changeCount
        list.put(ban(BanSubject(.person, "a")))
        #expect(list.replace(by: [], changeCount: before).isEmpty && list.all(at: now).count == 1)
        #expect(list.replace(by: [], changeCount: list.changeCount).isEmpty && list.all(at: now).isEmpty)
    }

    @Test func aBanThatWasLiftedWhileTheStoreWasAskedDoesNotComeBack() {
        let list = BanList()
        list.put(ban(BanSubject(.person, "a")))
        let (stored, before) = (list.all(at: now), list.changeCount)
        list.lift(BanSubject(.person, "a"))
        #expect(list.replace(by: stored, changeCount: before).isEmpty && list.all(at: now).isEmpty)
    }

    @Test func aListThatHasNotBeenReadHoldsOffEverybody() throws {
        let list = BanList(isRead: false)
        #expect(try !list.isRead && list.barrier(for: peer("192.0.2.1"), at: now) == .bansUnread)
        // The store's answer is older than a ban that was made meanwhile.
        let before = list.changeCount
        list.put(ban(BanSubject(.person, "ben")))
        #expect(list.replace(by: [], changeCount: before).isEmpty && !list.isRead)
        // Nobody is there whose connection would have to end.
        let stored = [ban(BanSubject(.person, "ben")), ban(BanSubject(.person, "cleo"))]
        #expect(list.replace(by: stored, changeCount: list.changeCount).isEmpty && list.isRead)
        #expect(list.barrier(for: try peer("192.0.2.1"), at: now) == nil)
        #expect(list.end(ofPerson: "cleo", at: now) == now + 100)
        #expect(list.replace(by: stored + [ban(BanSubject(.person, "dan"))], changeCount: list.changeCount).count == 1)
    }

    @Test func theSentenceNamesTheEnd() {
        #expect(
            BanList.sentence(until: 1_777_829_400) == "An operator has banned you until 2026-05-03 17:30 UTC.")
    }

    @Test func searchingIgnoresTheCaseOfASCII() {
        #expect(
            SearchText("aDa").isPart(of: "Grand Ada") && SearchText("").isPart(of: "")
                && !SearchText("x").isPart(of: ""))
        #expect(SearchText("ü").isPart(of: "für") && !SearchText("Ü").isPart(of: "für"))
    }
}
