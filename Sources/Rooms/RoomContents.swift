/// What stays of a room when the last has left it: what is on its canvas, and where its log ended, so that a number of
/// the log never means two entries.
package struct RoomContents: Sendable {
    private(set) var elements: ElementTable
    package let seq: UInt64
    /// The newest entries of the log, the oldest first, if they were kept.
    var recent: [KeptEntry] = []
    /// The ids of people of whom nobody has been told that they have left.
    var present: [String] = []

    package var elementCount: Int { elements.count }

    /// About how much memory it takes.
    package var memoryBytes: Int { elements.memoryBytes }

    /// The same without what can be made again.
    package var condensed: RoomContents {
        var contents = self
        contents.elements.forgetList()
        return contents
    }
}
