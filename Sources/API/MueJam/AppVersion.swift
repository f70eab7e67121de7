import Wire

/// A version of an application, like `1.10.2`: numbers with dots between them. What follows a hyphen makes it earlier than the
/// version without it.
struct AppVersion: Comparable {
    private let numbers: [Int]
    private let isPreview: Bool

    /// Nil for a text that is no version.
    init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let named = text.prefix { $0 != "+" }
        let parts = named.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        let numbers = first.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.utf8.count <= 9 && part.utf8.allSatisfy(ASCII.isDigit) ? Int(part) : nil
        }
        guard numbers.count <= 8, !numbers.contains(nil) else { return nil }
        self.numbers = numbers.compactMap(\.self)
        isPreview = parts.count > 1
    }

    static func < (one: Self, other: Self) -> Bool {
        for index in 0..<max(one.numbers.count, other.numbers.count) {
            let (mine, theirs) = (one.number(index), other.number(index))
            if mine != theirs { return mine < theirs }
        }
        return one.isPreview && !other.isPreview
    }

    static func == (one: Self, other: Self) -> Bool { !(one < other) && !(other < one) }

    private func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }
}
