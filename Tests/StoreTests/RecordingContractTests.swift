import Testing

@testable import Store

/// What every store promises of recordings.
@Suite("Recordings", .timeLimit(.minutes(1)))
struct RecordingContractTests {
    private let here = ClusterNode(id: 0, boot: 5)

    private func begin(
        _ id: String, in room: String = "r", at time: Int64, by starter: String? = "ann", after previous: String? = nil,
        writer: ClusterNode? = nil, _ store: any ServerStore
    ) async throws {
        let recording = Recording(
            id: id, room: room, starter: starter, previous: previous, writer: writer ?? here, startedAt: time)
        try await told { store.beginRecording(recording, fence: nil, then: $0) }
    }

    @discardableResult
    private func end(
        _ id: String, bytes: Int64 = 10, _ reason: RecordingEnd = .stopped, at time: Int64, settles: Bool = true,
        _ store: any ServerStore
    ) async throws -> Bool {
        let extent = RecordingExtent(bytes: bytes, milliseconds: 7)
        return try await told { store.endRecording(id, extent, reason: reason, at: time, settles: settles, then: $0) }
    }

    @Test(arguments: Backend.allCases) func aRoomHasOneThatRunsAndTheNewestComesFirst(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await begin("a", at: 1_000, store)
            let running = try #require(try await told { store.recording("a", then: $0) })
            #expect(running.isRunning && running.starter == "ann" && running.extent == RecordingExtent())
            try await told { store.noteRecording("a", RecordingExtent(bytes: 3, milliseconds: 2), then: $0) }
            try await end("a", at: 2_000, store)
            // The first end counts.
            try await end("a", bytes: 20, .empty, at: 3_000, store)
            try await begin("b", at: 4_000, by: nil, store)
            try await begin("c", in: "other", at: 5_000, store)
            let first = try await told { store.recordings(of: "r", PageRequest(limit: 1), then: $0) }
            #expect(first.items.map(\.id) == ["b"] && first.items[0].starter == nil)
            let next = PageRequest(limit: 1, cursor: first.next)
            let second = try await told { store.recordings(of: "r", next, then: $0) }
            #expect(second.items.map(\.id) == ["a"] && second.next == nil)
            #expect(second.items[0].reason == .stopped && second.items[0].endedAt == 2_000)
            #expect(second.items[0].extent == RecordingExtent(bytes: 20, milliseconds: 7))
        }
    }

    @Test(arguments: Backend.allCases) func oneThatLostItsHomeIsInterruptedAndFoundForAWhile(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            #expect(try await told { store.interruptedRecording(of: "r", since: 0, then: $0) } == nil)
            try await begin("a", at: 1_000, store)
            #expect(try await told { store.interruptedRecording(of: "r", since: 0, then: $0) }?.id == "a")
            try await begin("b", at: 2_000, store)
            #expect(try await told { store.recording("a", then: $0) }?.reason == .interrupted)
            // The server that wrote it says so late.
            try await end("a", .empty, at: 9_000, store)
            let late = try #require(try await told { store.recording("a", then: $0) })
            #expect(late.reason == .empty && late.endedAt == 2_000)
            try await end("b", .interrupted, at: 3_000, store)
            #expect(try await told { store.interruptedRecording(of: "r", since: 3_000, then: $0) }?.id == "b")
            #expect(try await told { store.interruptedRecording(of: "r", since: 3_001, then: $0) } == nil)
            try await begin("c", at: 4_000, store)
            try await end("c", at: 5_000, store)
            #expect(try await told { store.interruptedRecording(of: "r", since: 0, then: $0) } == nil)
        }
    }

    @Test(arguments: Backend.allCases) func oneGoesOnInTheNextUnlessSomebodyHasEndedIt(_ backend: Backend) async throws
    {
        try await withStore(backend) { store in
            try await begin("a", at: 2_000, store)
            #expect(try await told { store.recording(after: "a", then: $0) } == nil)
            // The clock of the next home may be behind.
            try await begin("b", at: 1_000, after: "a", store)
            #expect(try await told { store.recording("a", then: $0) }?.reason == .interrupted)
            let next = try #require(try await told { store.recording(after: "a", then: $0) })
            #expect(next.id == "b" && next.previous == "a" && next.isRunning)
            try await end("b", at: 3_000, store)
            #expect(try await told { store.interruptedRecording(of: "r", since: 0, then: $0) } == nil)
            // An end that the next home did not see yet.
            await #expect(throws: StoreError.conflict("The recording has been ended.")) {
                try await begin("c", at: 4_000, after: "b", store)
            }
            #expect(try await told { store.recording("c", then: $0) } == nil)
            try await begin("d", at: 5_000, store)
            try await told { store.stopRecording("d", at: 6_000, then: $0) }
            await #expect(throws: StoreError.self) { try await begin("e", at: 7_000, after: "d", store) }
            // Members may not know it yet.
            #expect(try await told { store.interruptedRecording(of: "r", since: 6_000, then: $0) }?.reason == .stopped)
            #expect(try await told { store.interruptedRecording(of: "r", since: 6_001, then: $0) } == nil)
            let ended = try #require(try await told { store.recording("d", then: $0) })
            #expect(ended.reason == .stopped && ended.endedAt == 6_000 && !ended.isSettled)
            // What it had before stays.
            try await told { store.stopRecording("a", at: 8_000, then: $0) }
            try await begin("f", at: 9_000, store)
            try await end("f", .size, at: 9_500, store)
            try await told { store.stopRecording("f", at: 10_000, then: $0) }
            #expect(try await told { store.recording("f", then: $0) }?.reason == .size)
        }
    }

    @Test(arguments: Backend.allCases) func whatNobodyWritesIsAStray(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await begin("mine", in: "1", at: 1, store)
            try await begin("before", in: "2", at: 2, writer: ClusterNode(id: 0, boot: 4), store)
            try await begin("gone", in: "3", at: 3, writer: ClusterNode(id: 9, boot: 1), store)
            let strays = try await told { store.strayRecordings(of: here, then: $0) }
            #expect(strays.map(\.id) == ["before", "gone"])
            // The next home of a room has ended it, and does not know how much was written.
            try await begin("next", in: "3", at: 4, store)
            #expect(try await told { store.strayRecordings(of: here, then: $0) }.map(\.id) == ["before", "gone"])
            try await told {
                store.settleRecording("gone", RecordingExtent(bytes: 9, milliseconds: 8), at: 50, then: $0)
            }
            try await told {
                store.settleRecording("before", RecordingExtent(bytes: 5, milliseconds: 4), at: 60, then: $0)
            }
            #expect(try await told { store.strayRecordings(of: here, then: $0) } == [])
            let gone = try #require(try await told { store.recording("gone", then: $0) })
            #expect(gone.isSettled && gone.extent == RecordingExtent(bytes: 9, milliseconds: 8) && gone.endedAt == 4)
            let before = try #require(try await told { store.recording("before", then: $0) })
            #expect(before.isSettled && before.reason == .interrupted && before.endedAt == 60)
            #expect(try await told { store.knownRecordings(["gone", "none", "mine"], then: $0) } == ["gone", "mine"])
        }
    }

    @Test(arguments: Backend.allCases) func theSizeOfASettledOneIsChangedByItsWriterAlone(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            try await begin("a", at: 1_000, store)
            #expect(try await told { store.recording("a", then: $0) }?.isSettled == false)
            try await told {
                store.settleRecording("a", RecordingExtent(bytes: 9, milliseconds: 8), at: 2_000, then: $0)
            }
            // A server that was taken for dead tells late how far it had come, and then what it has written.
            try await told { store.noteRecording("a", RecordingExtent(bytes: 3, milliseconds: 2), then: $0) }
            #expect(try await told { store.recording("a", then: $0) }?.extent.bytes == 9)
            try await end("a", bytes: 11, at: 2_500, settles: false, store)
            #expect(try await told { store.recording("a", then: $0) }?.extent.bytes == 9)
            try await end("a", bytes: 12, at: 3_000, store)
            try await told {
                store.settleRecording("a", RecordingExtent(bytes: 9, milliseconds: 8), at: 4_000, then: $0)
            }
            let settled = try #require(try await told { store.recording("a", then: $0) })
            #expect(settled.isSettled && settled.extent.bytes == 12 && settled.endedAt == 2_000)
            try await begin("b", in: "2", at: 4_500, store)
            try await end("b", bytes: 1, at: 4_600, settles: false, store)
            let ended = try #require(try await told { store.recording("b", then: $0) })
            #expect(!ended.isSettled && ended.reason == .stopped && ended.extent.bytes == 1)
            var bounds = RecordingBounds()
            bounds.bytesMax = 11
            let asked = bounds
            #expect(try await told { store.doomedRecordings(asked, at: 5_000, then: $0) } == ["a"])
        }
    }

    @Test(arguments: Backend.allCases) func theOldestGoPastTheBoundsAndThoseThatRunStay(_ backend: Backend) async throws
    {
        try await withStore(backend) { store in
            for (index, id) in ["a", "b", "c", "d"].enumerated() {
                try await begin(id, in: id, at: Int64(index) * 1_000, store)
                if id != "a" { try await end(id, bytes: 100, at: Int64(index) * 1_000 + 500, store) }
            }
            func doomed(_ change: (inout RecordingBounds) -> Void) async throws -> [String] {
                var bounds = RecordingBounds()
                change(&bounds)
                let asked = bounds
                return try await told { store.doomedRecordings(asked, at: 10_000, then: $0) }
            }
            #expect(try await doomed { _ in } == [])
            #expect(try await doomed { $0.countMax = 2 } == ["b"])
            #expect(try await doomed { $0.bytesMax = 150 } == ["b", "c"])
            #expect(try await told { store.recording("c", then: $0) } == nil)
            try await told { store.removeRecording("b", then: $0) }
            #expect(try await doomed { $0.secondsMax = 6 } == ["c", "d"])
            try await told { store.doomRecording("a", then: $0) }
            #expect(try await doomed { _ in } == ["c", "d"])
            // Its writer removes what it has sent.
            #expect(try await !end("a", at: 9_000, store))
            #expect(try await doomed { _ in } == ["a", "c", "d"])
            try await told { store.removeRecording("a", then: $0) }
            #expect(try await !end("a", at: 9_000, store))
            try await begin("e", at: 9_500, store)
            #expect(try await end("e", at: 9_600, store))
        }
    }

    @Test(arguments: Backend.allCases) func whoHasMostLosesFirst(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let all = [("old", "bob", Int64(300)), ("a", "ann", 10), ("b", "ann", 10), ("c", "ann", 10)]
            for (index, (id, starter, bytes)) in all.enumerated() {
                try await begin(id, in: id, at: Int64(index) * 1_000, by: starter, store)
                try await end(id, bytes: bytes, at: Int64(index) * 1_000 + 500, store)
            }
            func doomed(_ bounds: RecordingBounds) async throws -> [String] {
                try await told { store.doomedRecordings(bounds, at: 10_000, then: $0) }
            }
            var bounds = RecordingBounds()
            bounds.countMax = 3
            #expect(try await doomed(bounds) == ["a"])
            bounds.bytesMax = 100
            #expect(try await doomed(bounds) == ["old", "a"])
        }
    }

    /// Those that run cannot go, so whoever lets many run must not take the places of others with them.
    @Test(arguments: Backend.allCases) func thoseThatRunPushOutNobody(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            for (index, id) in ["a", "b"].enumerated() {
                try await begin(id, in: id, at: Int64(index) * 1_000, by: "ann", store)
                try await end(id, bytes: 10, at: Int64(index) * 1_000 + 500, store)
            }
            for number in 1...8 {
                try await begin("run\(number)", in: "run\(number)", at: 5_000, by: "bob", store)
                let extent = RecordingExtent(bytes: 1_000, milliseconds: 7)
                try await told { store.noteRecording("run\(number)", extent, then: $0) }
            }
            var bounds = RecordingBounds()
            (bounds.countMax, bounds.bytesMax) = (4, 2_500)
            let asked = bounds
            func doomed() async throws -> [String] {
                try await told { store.doomedRecordings(asked, at: 10_000, then: $0) }
            }
            #expect(try await doomed() == [])
            // With their ends they count, and are those that go.
            for number in 1...8 { try await end("run\(number)", bytes: 1_000, at: 6_000, store) }
            #expect(Set(try await doomed()) == Set((1...6).map { "run\($0)" }))
        }
    }

    @Test(arguments: Backend.allCases) func oneWhoseFileIsExchangedHasNoEndUntilItIsTold(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            try await begin("a", at: 1_000, store)
            func unsettle() async throws -> Bool { try await told { store.unsettleRecording("a", then: $0) } }
            #expect(try await !unsettle())
            try await end("a", bytes: 20, at: 2_000, store)
            #expect(try await unsettle())
            let open = try #require(try await told { store.recording("a", then: $0) })
            #expect(!open.isSettled && open.extent.bytes == 0 && open.endedAt == 2_000 && open.reason == .stopped)
            #expect(try await end("a", bytes: 15, at: 9_000, store))
            let done = try #require(try await told { store.recording("a", then: $0) })
            #expect(done.isSettled && done.extent.bytes == 15 && done.endedAt == 2_000)
            try await told { store.doomRecording("a", then: $0) }
            #expect(try await !unsettle())
        }
    }

    /// Others together cannot take from one user all that this one has.
    @Test(arguments: Backend.allCases) func whoHasMostIsAnotherOneAfterEachThatGoes(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            var at: Int64 = 1_000
            func record(_ starter: String, _ count: Int, bytes: Int64) async throws {
                for number in 1...count {
                    let id = "\(starter)\(number)"
                    try await begin(id, in: id, at: at, by: starter, store)
                    try await end(id, bytes: bytes, at: at + 1, store)
                    at += 10
                }
            }
            try await record("ann", 5, bytes: 4)
            for other in ["bob", "cat", "dan", "eve", "fay"] { try await record(other, 4, bytes: 5) }
            func doomed(_ change: (inout RecordingBounds) -> Void) async throws -> Set<String> {
                var bounds = RecordingBounds()
                change(&bounds)
                let asked = bounds
                return Set(try await told { store.doomedRecordings(asked, at: 100_000, then: $0) })
            }
            let gone: Set = ["ann1", "ann2", "bob1", "cat1", "dan1"]
            #expect(try await doomed { $0.countMax = 20 } == gone)
            // All have 20 bytes but those who have lost some: 12, three times 15, twice 20.
            #expect(try await doomed { $0.bytesMax = 87 } == gone.union(["eve1", "fay1"]))
        }
    }
}
