import Cluster
import Configuration
import Operations
import RoomsClient
import Store

/// What operators ask of a cluster.
extension Command {
    static let cluster = Command(
        name: "cluster", usage: "cluster status|drain NODE|forget NODE|check",
        summary: "Show, check, drain or forget the nodes of a cluster.",
        page: { page }
    ) { context in
        var inner = context
        guard !context.arguments.isEmpty else {
            return context.refuse("cluster needs a word: status, drain, forget or check.", help: "rooms help cluster")
        }
        switch inner.arguments.removeFirst() {
        case "-h", "--help":
            context.standardOutput(page)
            return .ok
        case "status": return with(inner, operand: nil) { tool, _ throws(StoreError) in try status(inner, tool) }
        case "drain":
            return withNode(inner) { tool, node throws(StoreError) in try drain(inner, tool, node) }
        case "forget":
            return withNode(inner) { tool, node throws(StoreError) in try forget(inner, tool, node) }
        case "check": return ClusterCheck.run(inner, page: page)
        case let word:
            return context.refuse("cluster knows no \"\(RawSettings.shown(word))\".", help: "rooms help cluster")
        }
    }

    private static func with(
        _ context: CommandContext, operand: String?,
        _ body: (ClusterTool, String) throws(StoreError) -> ExitCode
    ) -> ExitCode {
        switch StoreOptions.read(context, "cluster", operand: operand, flags: ["store"], page: page) {
        case .ended(let code): return code
        case .options(let options):
            guard case .postgres(let place)? = options.place else {
                return context.refuse("a cluster has its store in PostgreSQL.", help: "rooms help cluster")
            }
            do throws(StoreError) {
                return try body(try ClusterTool(place), options.operand)
            } catch {
                context.standardError("rooms: \(error)\n")
                return .storage
            }
        }
    }

    private static func withNode(
        _ context: CommandContext, _ body: (ClusterTool, Int) throws(StoreError) -> ExitCode
    ) -> ExitCode {
        with(context, operand: "NODE") { tool, operand throws(StoreError) in
            guard let node = Int(operand), (0...63).contains(node) else {
                return context.refuse(
                    "\"\(RawSettings.shown(operand))\" is no number of a node.", help: "rooms help cluster")
            }
            return try body(tool, node)
        }
    }

    private static func status(_ context: CommandContext, _ tool: ClusterTool) throws(StoreError) -> ExitCode {
        let nodes = try tool.nodes()
        guard !nodes.isEmpty else {
            context.standardOutput("No node has started yet.\n")
            return .unavailable
        }
        context.standardOutput(NodeTable.text(nodes))
        return nodes.allSatisfy(\.isAlive) ? .ok : .unavailable
    }

    private static func drain(
        _ context: CommandContext, _ tool: ClusterTool, _ node: Int
    ) throws(StoreError) -> ExitCode {
        guard try tool.drain(node) else {
            context.standardError("rooms: node \(node) does not live.\n")
            return .unavailable
        }
        context.standardOutput("Node \(node) drains and ends, as after SIGTERM.\n")
        return .ok
    }

    private static func forget(
        _ context: CommandContext, _ tool: ClusterTool, _ node: Int
    ) throws(StoreError) -> ExitCode {
        switch try tool.forget(node) {
        case .forgotten:
            context.standardOutput("Node \(node) is not listed any more, unless it comes back.\n")
            return .ok
        case .lives:
            context.standardError("rooms: node \(node) lives. Stop it first, such as with rooms cluster drain.\n")
        case .unknown: context.standardError("rooms: there is no node \(node).\n")
        }
        return .unavailable
    }

    private static let page = """
        Usage: rooms cluster status [--store-file FILE]
               rooms cluster drain NODE [--store-file FILE]
               rooms cluster forget NODE [--store-file FILE]
               rooms cluster check [--SETTING VALUE …]

        status  Lists all nodes that the cluster ever had, with what each said of itself last. The exit code
                is 69 if one of them does not live, or none has started yet.
        drain   Makes a node hand over its rooms, close its clients' sessions and end, as SIGTERM does.
                Its service manager may start it again.
        forget  Takes a node that has ended for good off the list, also in the console. It is refused while
                the node lives. A node that comes back is on the list again.
        check   Tries PostgreSQL and each Redis server with the configuration of a node, and looks at the
                nodes. It waits for those that have just started, up to six seconds. It prints what is
                wrong, such as a node that does not live, and then exits with code 69; and what operators
                should know.

        Each of them waits for up to three seconds while it is not known which nodes live: PostgreSQL was
        away a moment ago, or all nodes were killed.

        status, drain and forget need only the store: --store-file FILE, --store URL or --config FILE.
        check takes all settings of rooms serve.

        """
}

/// The nodes of a cluster as a table for a terminal. No cell is empty, so that scripts can split its lines.
enum NodeTable {
    static func text(_ nodes: [NodeRecord]) -> String {
        let head = [
            "node", "state", "connections", "rooms", "elsewhere", "memory", "redis", "reaches", "link", "version",
        ]
        let rows = [head] + nodes.map(row)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { TextLayout.padded(row[$0], widths[$0]) }
            let line = cells.joined(separator: "  ")
            return line.prefix(upTo: line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex) + "\n"
        }.joined()
    }

    private static func row(_ record: NodeRecord) -> [String] {
        let name = "\(record.node.id)"
        let unknown = Array(repeating: "-", count: 6)
        let versions = [record.linkVersions.versionsShown, record.version]
        guard record.isAlive else { return [name, "ended"] + unknown + versions }
        guard let report = NodeReport(json: record.report) else {
            return [name, "starting"] + unknown + versions
        }
        let reached = report.connectedTo.map(String.init).joined(separator: ",")
        let state = record.isDraining || report.isDraining ? "draining" : "serving"
        return [
            name, state, "\(report.connections)", "\(report.rooms)", "\(report.roomsElsewhere)",
            "\(report.memoryBytes >> 20) MB", report.isCarried ? "yes" : "no",
            reached.isEmpty ? "-" : reached,
        ] + versions
    }
}
