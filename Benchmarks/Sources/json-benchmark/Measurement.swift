/// Contenders for the same work on the same text, measured side by side.
///
/// Each round gives every contender a turn, so that a noisy spell of the machine meets all of them; what counts is the
/// median of a contender's turns.
struct Measurement {
    struct Contender {
        let name: String
        /// Does the work once and gives something that depends on it.
        let work: () -> Double
    }

    let title: String
    let contenders: [Contender]
    var rounds = 15
    var turn = Duration.milliseconds(20)

    /// Prints a line per contender: nanoseconds per text and the ratio to the first one.
    func run() {
        print("\n\(title)")
        let counts = contenders.map(repetitions)
        var times = contenders.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                times[index].append(nanoseconds(contender, counts[index]))
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        for (contender, median) in zip(contenders, medians) {
            let name = contender.name.padding(to: 44)
            print("  \(name) \(format(median, width: 10)) ns  \(format(median / medians[0], width: 7)) ×")
        }
    }

    /// How often the work fits into a turn.
    private func repetitions(_ contender: Contender) -> Int {
        precondition(contender.work() >= 0, "\(contender.name) refuses the text of: \(title)")
        var count = 1
        while nanoseconds(contender, count) * Double(count) < 2_000_000 { count *= 2 }
        return max(1, Int(turn / .nanoseconds(1) / nanoseconds(contender, count)))
    }

    private func nanoseconds(_ contender: Contender, _ count: Int) -> Double {
        let clock = ContinuousClock()
        var sum = 0.0
        let elapsed = clock.measure {
            for _ in 0..<count { sum += contender.work() }
        }
        precondition(sum >= 0)
        return elapsed / .nanoseconds(1) / Double(count)
    }

    private func format(_ value: Double, width: Int) -> String {
        let tenths = Int((value * 10).rounded())
        let text = value < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
