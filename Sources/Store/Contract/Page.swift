/// Which part of a list is asked for.
public struct PageRequest: Sendable, Equatable {
    /// Bounded by `StoreLimits.pageItemsMax`.
    public var limit: Int
    /// `Page.next` of the page before; nil for the first.
    public var cursor: String?

    public init(limit: Int = 50, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }
}

/// A part of a list. What is added or goes while somebody pages shifts nothing: a page begins after the last item of the
/// one before.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// Nil on the last page. Made of letters, digits, `.`, `_` and `-`.
    public var next: String?

    public init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
