/// The contents of a room that is not in use: its elements, and the end of its log, so that no number of the log is
/// used twice.
package struct RoomContents: Sendable {
    private(set) var elements: ElementTable
    package let seq: UInt64
    /// The newest entries of the log, the oldest first, if they are kept.
    var recent: [KeptEntry] = []
    /// Participants of whom the log does not say yet that they have left.
    var present: [Presence] = []
    /// Grows with each loss of what members may have been told.
    var era = 0
    /// What is remembered of changes of texts, if the room was not read from a store.
    var texts = TextHistory()

    package var elementCount: Int { elements.count }

    /// The approximate memory of the contents.
    package var memoryBytes: Int { elements.memoryBytes + texts.memoryBytes }

    /// The same contents without data that can be computed again.
    package var condensed: RoomContents {
        var contents = self
        contents.elements.forgetList()
        return contents
    }
}
