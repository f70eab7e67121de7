import Media

extension MediaError {
    /// The answers to a file with too much in it: the process says so, or a library ends the process when it gets no memory.
    var isOfCost: Bool { if case .unfinished = self { true } else { self == .tooCostly } }
}
