import Foundation
import Operations
import Testing

@testable import RoomsServer
@testable import Store

/// `rooms cluster status`.
@Suite struct NodeTableTests {
    @Test func noCellIsEmpty() {
        let table = NodeTable.text([
            node(1, lease: 0), node(2, report: ""), node(3, report: NodeReport().json),
        ])
        let lines = table.split(separator: "\n").map { $0.split(separator: /\s{2,}/) }
        #expect(lines.map(\.count) == [9, 9, 9, 9])
        #expect(lines.dropFirst().map { $0[1] } == ["ended", "starting", "serving"])
        #expect(lines.last?[7] == "-", "it reaches no other node")
    }

    private func node(_ id: Int, lease: Int64 = 1000, report: String = "") -> NodeRecord {
        NodeRecord(
            node: ClusterNode(id: id, boot: 1), version: "0.1.0", leaseMilliseconds: lease, isDraining: false,
            report: report)
    }
}
