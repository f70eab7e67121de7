/// Finds the name that a user probably meant.
package enum NearestName {
    /// The candidate with the fewest typing errors, if they are few enough for its length.
    package static func of(_ name: String, in candidates: [String]) -> String? {
        let typed = folded(name.prefix(lengthMax))
        // The last words of a name, with no error in them, say more than a name that is only alike.
        let ends = candidates.filter { folded($0[...]).ends(with: ["-"] + typed) }
        // One word that several names end with means none of them.
        if ends.count == 1 || typed.contains("-"), let shortest = ends.min(by: { $0.count < $1.count }) {
            return shortest
        }
        var best: (name: String, errors: Int)?
        for candidate in candidates {
            let errors = distance(typed, folded(candidate[...]))
            if errors < best?.errors ?? .max { best = (candidate, errors) }
        }
        guard let best, best.errors <= max(1, min(typed.count, best.name.count) / 3) else {
            return onlyCompletion(of: String(typed), in: candidates)
        }
        return best.name
    }

    /// Without what people mix up: capitals, and underscores for dashes.
    private static func folded(_ name: Substring) -> [Character] {
        name.lowercased().map { $0 == "_" ? "-" : $0 }
    }

    /// Half a name is not a typing error, but still means a name.
    private static func onlyCompletion(of part: String, in candidates: [String]) -> String? {
        guard part.count >= 3 else { return nil }
        let completions = candidates.filter { $0.hasPrefix(part) || $0.hasSuffix(part) }
        return completions.count == 1 ? completions.first : nil
    }

    /// Bounds the work for a name that comes from a file.
    private static let lengthMax = 64

    /// Insertions, deletions, replacements and swaps of neighbours that make one of the other.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}

extension [Character] {
    fileprivate func ends(with other: [Character]) -> Bool { suffix(other.count).elementsEqual(other) }
}
