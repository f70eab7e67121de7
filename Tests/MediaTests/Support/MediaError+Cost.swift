import Media

extension MediaError {
    /// What a file with too much in it gets: the process says so, or a library ends the process when it gets no memory.
    var isOfCost: Bool { if case .unfinished = self { true } else { self == .tooCostly } }
}
