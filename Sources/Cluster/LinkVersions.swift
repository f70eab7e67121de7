/// Versions of the link between nodes: of its frames, and of the records in them. Two nodes speak the newest one that both have.
extension ClosedRange<Int> {
    /// For operators: `1`, or `1–2`.
    package var versionsShown: String { count == 1 ? "\(lowerBound)" : "\(lowerBound)–\(upperBound)" }
}
