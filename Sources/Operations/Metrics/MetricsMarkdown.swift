/// The table of metrics for docs/METRICS.md.
package enum MetricsMarkdown {
    package static func text() -> String {
        var text = "| name | kind | labels | what it tells |\n|---|---|---|---|\n"
        for metric in Metrics.all {
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            text += "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |\n"
        }
        return text
    }
}
