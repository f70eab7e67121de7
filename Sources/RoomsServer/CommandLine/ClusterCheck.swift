import Cluster
import Configuration
import Operations
import RoomsClient
import Store
import Threads

/// `rooms cluster check`: tries what a node needs.
struct ClusterCheck {
    /// A node that has just started reaches the others by then, and has said so: it reports every two seconds.
    private static let patienceMilliseconds: Int64 = 6_000

    /// Sentences about what does not work.
    private(set) var faults: [String] = []
    /// What works, and what operators should know.
    private(set) var notes: [String] = []
    /// Whether a node is not in order that has just started, or lived a moment ago: that may pass.
    private(set) var isUnsettled = false

    static func run(_ context: CommandContext, page: String) -> ExitCode {
        let reader = ConfigurationReader(arguments: context.arguments, environment: context.environment)
        guard case .report(let report) = reader.read() else {
            context.standardOutput(page)
            return .ok
        }
        guard report.isGood else {
            context.standardError(FindingsPage.text(report))
            return FindingsPage.exitCode(report)
        }
        guard report.configuration.clusterNode != nil else {
            context.standardError("rooms: cluster-node is needed: this is not the configuration of a node.\n")
            return .configuration
        }
        var check = ClusterCheck()
        check.tryRedis(report.configuration)
        // Without Redis no node gets in order.
        check.tryStore(report.configuration, patienceMilliseconds: check.faults.isEmpty ? patienceMilliseconds : 0)
        for note in check.notes { context.standardOutput("\(note)\n") }
        for fault in check.faults { context.standardError("rooms: \(fault)\n") }
        return check.faults.isEmpty ? .ok : .unavailable
    }

    private mutating func tryRedis(_ configuration: ServerConfiguration) {
        let servers = (try? RedisServer.list(configuration.clusterRedis?.revealed() ?? [])) ?? []
        var usable: Set<String> = []
        for server in servers {
            do throws(ClientError) {
                let trust = server.isSecure ? try TLSTrust(authorities: configuration.clusterCAFile) : nil
                switch try RedisProbe.run(server, trust, cluster: configuration.clusterName) {
                case .usable(let place):
                    usable.insert(place)
                    notes.append(
                        place == server.shown
                            ? "\(place) carries messages" : "\(server.shown) names \(place), which carries messages")
                case .unusable(let reason): notes.append("\(server.shown) is not used: \(reason)")
                }
            } catch {
                notes.append("\(server.shown) is not used: \(error)")
            }
        }
        if usable.isEmpty { faults.append("none of the Redis servers can be used") }
        if usable.count > 1 {
            faults.append("\(usable.count) Redis servers say that they are primaries: nodes may not hear each other")
        }
    }

    private mutating func tryStore(_ configuration: ServerConfiguration, patienceMilliseconds: Int64) {
        do throws(StoreError) {
            guard case .postgres(let place)? = try configuration.storePlace() else { return }
            let tool = try ClusterTool(place)
            let durability = try tool.durability()
            notes.append("\(place.shown) answers")
            if !durability.isFlushed {
                faults.append("synchronous_commit is off in PostgreSQL: acked changes can be lost when it restarts")
            }
            switch durability.synchronousStandbys {
            case nil: notes.append("This user may not see whether PostgreSQL has a synchronous standby")
            case 0:
                notes.append(
                    "PostgreSQL has no synchronous standby: after a failover the newest acked changes may be missing")
            default: break
            }
            if !tool.hasTables { notes.append("The database has no tables yet. The first node makes them.") }
            if try tool.belongsToAnother() {
                notes.append(
                    "A server without cluster-node, or rooms move-store, used the database last. Nodes take it when they "
                        + "start.")
            }
            try waitForNodes(of: tool, until: Clock.milliseconds() + patienceMilliseconds)
        } catch {
            faults.append("\(error)")
        }
    }

    private mutating func waitForNodes(of tool: ClusterTool, until end: Int64) throws(StoreError) {
        while true {
            var next = self
            next.look(at: try tool.nodes())
            guard next.isUnsettled, Clock.milliseconds() < end else {
                self = next
                return
            }
            Clock.sleep(milliseconds: 200)
        }
    }

    private static let recentMilliseconds: Int64 = 10_000

    mutating func look(at nodes: [NodeRecord]) {
        guard !nodes.isEmpty else { return notes.append("No node has started yet") }
        let living = nodes.filter(\.isAlive)
        notes.append("\(living.count) of \(nodes.count) nodes live")
        for record in nodes where !record.isAlive {
            let node = record.node.id
            faults.append(
                "node \(node) does not live: start it, or take it off the list with rooms cluster forget \(node)")
            // The database may have been away, so that nobody could renew leases.
            if record.leaseMilliseconds > -Self.recentMilliseconds { isUnsettled = true }
        }
        let versions = Set(living.map(\.version)).sorted()
        if versions.count > 1 { notes.append("The nodes have several versions: \(versions.joined(separator: ", "))") }
        compareLinks(of: living)
        for record in living {
            guard let report = NodeReport(json: record.report) else {
                faults.append("node \(record.node.id) has started and has not said yet whom it reaches")
                isUnsettled = true
                continue
            }
            if !report.isCarried { faults.append("node \(record.node.id) does not reach Redis") }
            let missing = living.filter { $0.node != record.node && $0.linkVersions.overlaps(record.linkVersions) }
                .map(\.node.id).filter { !report.connectedTo.contains($0) }
            if !missing.isEmpty {
                let list = missing.map(String.init).joined(separator: ", ")
                let others = missing.count > 1 ? "nodes" : "node"
                faults.append("node \(record.node.id) does not reach \(others) \(list)")
            }
            if !report.isCarried || !missing.isEmpty { isUnsettled = true }
            if report.hangingLoops > 0 { faults.append("\(report.hangingLoops) loops of node \(record.node.id) hang") }
        }
    }

    /// Nodes that have no version of the link in common do not reach each other.
    private mutating func compareLinks(of living: [NodeRecord]) {
        let versions = Set(living.map(\.linkVersions)).sorted {
            ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
        }
        for (index, older) in versions.enumerated() {
            for newer in versions[(index + 1)...] where !newer.overlaps(older) {
                faults.append(
                    "\(Self.named(living, older)) and \(Self.named(living, newer)) do not reach each other: upgrade the "
                        + "first by one release")
            }
        }
        for other in versions where !other.overlaps(LinkFrame.versions) {
            faults.append(
                "this program speaks link version \(LinkFrame.versions.versionsShown) and would not reach "
                    + "\(Self.named(living, other)): upgrade by one release at a time")
        }
    }

    /// The nodes with these versions of the link.
    private static func named(_ nodes: [NodeRecord], _ versions: ClosedRange<Int>) -> String {
        let numbers = nodes.filter { $0.linkVersions == versions }.map { "\($0.node.id)" }
        return "\(numbers.count > 1 ? "nodes" : "node") \(numbers.joined(separator: ", "))"
            + " (link version \(versions.versionsShown))"
    }
}
