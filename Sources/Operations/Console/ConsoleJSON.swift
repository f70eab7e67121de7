import Relay
import Rooms
import Sessions
import Store
import Transport
import Wire

/// The JSON for the console's page.
enum ConsoleJSON {
    static func error(_ reason: String) -> [UInt8] {
        object { $0.member("error", reason) }
    }

    /// - Parameter silent: the nodes that have not answered.
    static func count(_ count: Int, silent: [Int] = []) -> [UInt8] {
        object { json in
            json.member("count", count)
            write(silent, as: "silentNodes", to: &json)
        }
    }

    /// Names the nodes or loops that have not answered, whose part is missing. Writes nothing when all have.
    static func write(_ silent: [Int], as name: String, to json: inout JSONWriter) {
        guard !silent.isEmpty else { return }
        json.key(name)
        json.beginArray()
        for number in silent { json.int(number) }
        json.endArray()
    }

    static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            body(&json)
            json.endObject()
        }
        return bytes
    }

    // MARK: Rooms

    /// - Parameter silent: the loops that have not answered.
    static func rooms(_ rooms: some Sequence<RoomFigures>, silent: [Int]) -> [UInt8] {
        object { json in
            json.key("rooms")
            json.beginArray()
            for room in rooms { write(room, to: &json) }
            json.endArray()
            write(silent, as: "silentLoops", to: &json)
        }
    }

    /// - Parameter silent: the loops that have not answered, whose members are missing.
    static func room(_ room: RoomFigures, _ picture: [UInt8]?, _ members: [RoomMember], silent: [Int]) -> [UInt8] {
        object { json in
            json.key("room")
            write(room, to: &json)
            if let picture { json.member("picture", raw: picture.span) }
            json.key("members")
            json.beginArray()
            for member in members {
                json.beginObject()
                json.member("person", member.person)
                json.member("shard", member.shard)
                json.member("socket", member.socket)
                json.member("transport", member.transport)
                json.member("tls", member.isSecure)
                json.member("batches", member.wantsBatches)
                json.member("binary", member.wantsTicks)
                json.member("peer", member.peer)
                json.member("ticksBehind", Int(clamping: member.ticksBehind))
                json.member("entriesBehind", Int(clamping: member.entriesBehind))
                json.endObject()
            }
            json.endArray()
            write(silent, as: "silentLoops", to: &json)
        }
    }

    private static func write(_ room: RoomFigures, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", room.id)
        json.member("shard", room.shard)
        switch room.state {
        case .serving: json.member("state", "serving")
        case .degraded: json.member("state", "degraded")
        case .elsewhere(let node):
            json.member("state", "elsewhere")
            json.member("home", node)
        }
        json.member("load", (room.load * 10).rounded() / 10)
        json.member("connections", room.connections)
        json.member("participants", room.participants)
        json.member("elements", room.elements)
        json.member("logBytes", room.logBytes)
        json.member("seq", Int(clamping: room.seq))
        json.member("tickMilliseconds", room.tickMilliseconds)
        json.member("backlog", room.backlogEntries)
        json.endObject()
    }

    // MARK: Nodes

    /// All nodes of the cluster. One that does not live has no report: what it said last is over.
    static func nodes(_ nodes: [NodeRecord], _ own: ClusterReading) -> [UInt8] {
        object { json in
            json.member("own", own.node)
            json.key("nodes")
            json.beginArray()
            for record in nodes {
                json.beginObject()
                json.member("node", record.node.id)
                json.member("version", record.version)
                json.member("alive", record.isAlive)
                let report = NodeReport(json: record.report)
                json.member("draining", record.isDraining || report?.isDraining == true)
                json.member("leaseMilliseconds", Int(record.leaseMilliseconds))
                if record.isAlive, let report {
                    json.member("report", raw: Array(report.json.utf8).span)
                }
                let peer = own.link.peers.first { $0.node == record.node.id }
                json.member("reached", record.node.id == own.node || peer?.isConnected == true)
                json.endObject()
            }
            json.endArray()
        }
    }

    // MARK: Overview

    /// Totals since the start: the page makes rates of two of them.
    static func overview(_ server: ServerReading, _ facts: OperatorFacts) -> [UInt8] {
        object { json in
            json.member("version", server.version)
            writeProblems(server, facts, to: &json)
            json.member("draining", server.isDraining)
            json.member("inCluster", server.cluster != nil)
            json.member("connectionsMax", server.connectionsMax)
            json.key("loops")
            json.beginArray()
            for shard in server.shards { write(shard, to: &json) }
            json.endArray()
            json.key("sessions")
            json.beginArray()
            for kind in SessionTotals.Kind.allCases {
                let count = server.sum { $0.sessions.open(kind) }
                guard count > 0 else { continue }
                json.beginObject()
                json.member("transport", kind.isWebSocket ? "WebSocket" : "polling")
                json.member("protocol", kind.isVersion4 ? 4 : 3)
                json.member("tls", kind.isSecure)
                json.member("count", count)
                json.endObject()
            }
            json.endArray()
            writeCounts(server, to: &json)
            writeTotals(server, to: &json)
            writeStore(server, to: &json)
            writeProcess(server.process, to: &json)
        }
    }

    static func problems(_ server: ServerReading, _ facts: OperatorFacts) -> [UInt8] {
        object { writeProblems(server, facts, to: &$0) }
    }

    private static func writeProblems(_ server: ServerReading, _ facts: OperatorFacts, to json: inout JSONWriter) {
        let found = ProblemFacts(server, facts.history, refusedTokens: facts.audit.refusedLately).problems
        json.key("problems")
        json.beginArray()
        for problem in found {
            json.beginObject()
            json.member("grave", problem.isGrave)
            json.member("text", problem.text)
            json.member("advice", problem.advice)
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ shard: ShardReading?, to json: inout JSONWriter) {
        guard let shard, let relay = shard.relay else { return json.null() }
        json.beginObject()
        json.member("busySeconds", Double(shard.transport.turns.sumNanoseconds) / 1e9)
        json.member("lagSeconds", shard.lag / .seconds(1))
        json.member("tickSeconds", Double(relay.tickMilliseconds) / 1_000)
        json.member("jobs", shard.jobsWaiting)
        json.member("connections", shard.transport.plainConnections + shard.transport.secureConnections)
        json.member("rooms", relay.rooms)
        json.member("members", relay.totals.memberships)
        json.member("touchesIn", relay.totals.touchesTaken)
        json.member("touchesOut", relay.totals.touchesSent)
        json.key("turns")
        writeList(shard.transport.turns.counts, to: &json)
        json.endObject()
    }

    private static func writeList(_ numbers: [Int], to json: inout JSONWriter) {
        json.beginArray()
        for number in numbers { json.int(number) }
        json.endArray()
    }

    /// What has names: events, errors, limits, ends.
    private static func writeCounts(_ server: ServerReading, to json: inout JSONWriter) {
        let totals = server.answered.compactMap { $0.reading.relay?.totals }
        var (events, limits): ([String: Int], [String: Int]) = ([:], [:])
        for total in totals {
            for (name, count) in total.eventsByName { events[name, default: 0] += count }
            for (setting, count) in total.excessBySetting { limits[setting, default: 0] += count }
        }
        var errors: [String: Int] = [:]
        for code in RoomError.Code.allCases { errors[code.rawValue] = totals.reduce(0) { $0 + $1.refused(code) } }
        var ends: [String: Int] = [:]
        for reason in DisconnectReason.allCases {
            ends[reason.rawValue] = server.sum { $0.sessions.ended(reason) }
        }
        for (name, counts) in [("events", events), ("errors", errors), ("limits", limits), ("ends", ends)] {
            json.key(name)
            json.beginObject()
            for (key, count) in counts.sorted(by: { $0.key < $1.key }) { json.member(key, count) }
            json.endObject()
        }
    }

    private static func writeTotals(_ server: ServerReading, to json: inout JSONWriter) {
        func sum(_ number: (RelayTotals) -> Int) -> Int { server.sum { $0.relay.map { number($0.totals) } ?? 0 } }
        json.key("totals")
        json.beginObject()
        json.member("participants", sum(\.participants))
        json.member("elements", sum(\.elements))
        json.member("logBytes", sum(\.logBytes))
        json.member("touchesTicked", sum(\.touchesTicked))
        json.member("ticks", sum(\.ticks))
        json.member("deliveries", sum(\.updates))
        json.member("entries", sum(\.entriesLogged))
        json.member("catchUps", sum(\.catchUps))
        json.member("lostMembers", sum(\.lostMembers))
        json.member("recoveries", sum(\.recoveries))
        json.member("bytesIn", server.sum { $0.transport.bytesIn })
        json.member("bytesOut", server.sum { $0.transport.bytesOut })
        json.member("refusedConnections", server.transport.connectionsRefused.value)
        json.member("requests", server.transport.requests.value)
        json.endObject()
    }

    private static func writeStore(_ server: ServerReading, to json: inout JSONWriter) {
        json.key("kept")
        if let kept = server.kept {
            json.beginObject()
            json.member("rooms", kept.rooms)
            json.member("bytes", kept.bytes)
            json.endObject()
        } else {
            json.null()
        }
        json.key("store")
        guard let store = server.store else { return json.null() }
        var appends = DurationHistogram()
        for shard in server.answered { if let relay = shard.reading.relay { appends.add(relay.totals.appends) } }
        json.beginObject()
        json.member("good", store.isGood)
        json.member("waiting", store.counters.waitingJobs)
        json.member("databaseBytes", store.counters.databaseBytes)
        json.member("journalBytes", store.counters.logBytes)
        json.member("backlogBytes", server.sum { $0.relay?.totals.backlogBytes ?? 0 })
        json.member("jobs", Int(clamping: store.counters.jobs))
        json.key("appends")
        writeList(appends.counts, to: &json)
        json.endObject()
    }

    private static func writeProcess(_ process: ProcessReading, to json: inout JSONWriter) {
        json.key("process")
        json.beginObject()
        json.member("cpuSeconds", process.cpuSeconds)
        json.member("residentBytes", process.residentBytes)
        json.member("heapBytes", process.heapBytes)
        json.member("descriptors", process.openDescriptors)
        json.member("descriptorsMax", process.descriptorsMax)
        json.member("startSeconds", process.startSeconds)
        json.endObject()
        json.key("bounds")
        json.beginArray()
        for index in DurationHistogram.bounds.indices { json.double(Double(DurationHistogram.bounds[index]) / 1e9) }
        json.endArray()
    }
}
