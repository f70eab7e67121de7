import Testing

@testable import Relay

@Suite struct AgedTableTests {
    @Test func whatHasBeenThereLongestGoesFirst() {
        var table = AgedTable<Int, String>()
        for key in 0..<5 { table.put("\(key)", for: key) }
        table.put("again", for: 0)
        table.remove(1)
        #expect(table.count == 4 && table[1] == nil && table[0] == "again")
        var seen: [String] = []
        while let oldest = table.oldest {
            seen.append(oldest)
            table.removeOldest()
        }
        #expect(seen == ["2", "3", "4", "again"])
        #expect(table.count == 0)
        table.removeOldest()
    }

    @Test func whatIsPutAndTakenAgainAndAgainTakesNoMoreRoom() {
        var table = AgedTable<Int, Int>()
        for number in 0..<100_000 {
            table.put(number, for: number % 10)
            if number % 3 == 0 { table.remove(number % 7) }
        }
        #expect(table.count <= 10 && table.placeCount <= 100)
        for number in 0..<100_000 {
            table.put(number, for: number)
            if table.count > 1_000 { table.removeOldest() }
        }
        #expect(table.count == 1_000 && table.placeCount <= 3_000)
        #expect(table.oldest == 99_000)
    }
}
