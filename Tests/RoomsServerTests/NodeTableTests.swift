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
        #expect(lines.map(\.count) == [10, 10, 10, 10])
        #expect(lines.dropFirst().map { $0[1] } == ["ended", "starting", "serving"])
        #expect(lines.last?[7] == "-", "it reaches no other node")
    }

    @Test func theCheckNamesNodesThatHaveNoVersionInCommon() {
        var check = ClusterCheck()
        check.look(at: [
            node(1), node(2), node(3, links: 1...2), node(4, links: 2...3), node(5, lease: 0, links: 7...7),
        ])
        #expect(
            check.faults.filter { $0.contains("link version") } == [
                "nodes 1, 2 (link version 1) and node 4 (link version 2–3) do not reach each other: upgrade the first by "
                    + "one release",
                "this program speaks link version 1 and would not reach node 4 (link version 2–3): upgrade by one release "
                    + "at a time",
            ])
    }

    @Test func theCheckSaysOfSuchNodesNothingElse() {
        var check = ClusterCheck()
        var report = NodeReport()
        report.isCarried = true
        let json = report.json
        check.look(at: [
            node(1, report: json), node(2, report: json, links: 2...2), node(3, report: json, links: 1...2),
        ])
        let rest = check.faults.filter { !$0.contains("link version") }
        #expect(
            rest == [
                "node 1 does not reach node 3", "node 2 does not reach node 3", "node 3 does not reach nodes 1, 2",
            ])
    }

    @Test func theCheckNamesNodesThatDoNotLiveAndThoseThatAreNotReadyYet() {
        var report = NodeReport()
        (report.isCarried, report.connectedTo) = (true, [2])
        var check = ClusterCheck()
        check.look(at: [node(1, report: report.json), node(2)])
        #expect(check.faults == ["node 2 has started and has not said yet whom it reaches"] && check.isUnsettled)
        report.connectedTo = []
        for lease in [0, -60_000] as [Int64] {
            check = ClusterCheck()
            check.look(at: [node(1, report: report.json), node(2, lease: lease, report: report.json)])
            #expect(
                check.faults == ["node 2 does not live: start it, or take it off the list with rooms cluster forget 2"])
            #expect(check.notes == ["1 of 2 nodes live"] && check.isUnsettled == (lease == 0))
        }
        report.isCarried = false
        check = ClusterCheck()
        check.look(at: [node(1, report: report.json)])
        #expect(check.faults == ["node 1 does not reach Redis"] && check.isUnsettled)
    }

    @Test func aNodeIsCutOffOnlyWhenNeitherEngineHasAnsweredForALease() {
        #expect(ClusterMember.isCutOff(leaseMilliseconds: 3_000, awayMilliseconds: 3_000))
        // Without Redis alone, or without PostgreSQL alone, clients stay.
        #expect(!ClusterMember.isCutOff(leaseMilliseconds: 500, awayMilliseconds: 3_600_000))
        #expect(!ClusterMember.isCutOff(leaseMilliseconds: 3_600_000, awayMilliseconds: 0))
        #expect(!ClusterMember.isCutOff(leaseMilliseconds: 3_600_000, awayMilliseconds: 2_999))
    }

    private func node(
        _ id: Int, lease: Int64 = 1000, report: String = "", links: ClosedRange<Int> = 1...1
    ) -> NodeRecord {
        NodeRecord(
            node: ClusterNode(id: id, boot: 1), version: "0.1.0", linkVersions: links, leaseMilliseconds: lease,
            isDraining: false,
            report: report)
    }
}
