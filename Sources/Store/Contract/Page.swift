/// The requested part of a list.
package struct PageRequest: Sendable, Equatable {
    /// Bounded by `StoreLimits.pageItemsMax`.
    package var limit: Int
    /// `Page.next` of the page before; nil for the first.
    package var cursor: String?

    package init(limit: Int = 50, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }
}

/// A part of a list. Changes between two pages shift nothing: a page begins after the last item of the one before.
package struct Page<Item: Sendable>: Sendable {
    package var items: [Item]
    /// Nil on the last page. Made of letters, digits, `.`, `_` and `-`.
    package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
