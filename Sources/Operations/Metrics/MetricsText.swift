/// The text format of Prometheus, version 0.0.4.
enum MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func write(_ metrics: [Metric], _ server: ServerReading) -> String {
        var text = ""
        for metric in metrics {
            let samples = metric.read(server)
            guard !samples.isEmpty else { continue }
            text += "# HELP \(metric.name) \(escaped(metric.help, withQuotes: false))\n"
            text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in samples { write(metric, sample, to: &text) }
        }
        return text
    }

    private static func write(_ metric: Metric, _ sample: Metric.Sample, to text: inout String) {
        let labels = zip(metric.labels, sample.labels).map { "\($0)=\"\(escaped($1))\"" }
        switch sample.value {
        case .number(let value): line(metric.name, labels, value, to: &text)
        case .histogram(let histogram):
            var count = 0
            for (index, number) in histogram.counts.enumerated() {
                count += number
                let bound = index < histogram.bounds.count ? format(histogram.bounds[index]) : "+Inf"
                line(metric.name + "_bucket", labels + ["le=\"\(bound)\""], Double(count), to: &text)
            }
            line(metric.name + "_sum", labels, histogram.sum, to: &text)
            line(metric.name + "_count", labels, Double(count), to: &text)
        }
    }

    private static func line(_ name: String, _ labels: [String], _ value: Double, to text: inout String) {
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        text += "\(name)\(braces) \(format(value))\n"
    }

    static func format(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private static func escaped(_ text: String, withQuotes: Bool = true) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"" where withQuotes: escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
