import Foundation
import Testing

@testable import Operations

@Suite("Metrics")
struct MetricsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("have each name once, in small letters, and say in one sentence what they tell")
    func rowsAreGood() {
        #expect(Set(Metrics.all.map(\.name)).count == Metrics.all.count)
        for metric in Metrics.all {
            #expect(metric.name.allSatisfy { $0.isLowercase || $0 == "_" || $0.isNumber }, "\(metric.name)")
            #expect(metric.help.hasSuffix(".") && !metric.help.contains("|"), "\(metric.name)")
            #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
        }
    }

    @Test("are what docs/METRICS.md says")
    func documentationIsInStep() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/METRICS.md"), encoding: .utf8)
        let begin = try #require(page.range(of: "<!-- metrics: begin -->\n"))
        let end = try #require(page.range(of: "<!-- metrics: end -->"))
        let isInStep = page[begin.upperBound..<end.lowerBound] == MetricsMarkdown.text()
        #expect(isInStep, "put what `rooms help --metrics` prints between the marks of docs/METRICS.md")
    }

    @Test("are all that dashboards and alert rules name")
    func othersNameWhatIsThere() throws {
        let known = Set(
            Metrics.all.flatMap { metric in
                metric.kind == .histogram
                    ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
            })
        for file in ["deploy/prometheus/rooms.rules.yml", "deploy/grafana/rooms.json"] {
            let text = try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
            // Recorded series have colons in their names, and labels no number or bracket behind them.
            let names = text.matches(of: /(?:rooms|process)_[a-z_]+(?=[\[{])/).map { String($0.output) }
            #expect(!names.isEmpty, "\(file)")
            for name in Set(names) { #expect(known.contains(name), "\(file): \(name)") }
        }
    }

    @Test("are written as Prometheus reads them")
    func text() {
        let metrics = [
            Metric("a_total", .counter, ["b"], "With \"quotes\" and \\.") { _ in
                [.init(["x\"y\n"], 3), .init(["z"], 0.5)]
            },
            Metric("none", .gauge, "Is not there.") { _ in [] },
            Metric("h_seconds", .histogram, "Of three.") { _ in
                [.init([], HistogramReading(bounds: [0.1, 1], counts: [1, 0, 2], sum: 7.25))]
            },
        ]
        #expect(
            MetricsText.write(metrics, .nothing) == #"""
                # HELP a_total With "quotes" and \\.
                # TYPE a_total counter
                a_total{b="x\"y\n"} 3
                a_total{b="z"} 0.5
                # HELP h_seconds Of three.
                # TYPE h_seconds histogram
                h_seconds_bucket{le="0.1"} 1
                h_seconds_bucket{le="1"} 1
                h_seconds_bucket{le="+Inf"} 3
                h_seconds_sum 7.25
                h_seconds_count 3

                """#)
    }

    @Test("tell of a loop that does not answer, and of all others")
    func hangingLoop() {
        let text = MetricsText.write(Metrics.all, .nothing)
        #expect(text.contains("rooms_loop_up{shard=\"0\"} 0\n"))
        #expect(text.contains("process_open_fds "))
    }
}
