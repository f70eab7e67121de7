/// A thing of the library: a story, a chapter of one, a whisper, or how far a person has read a chapter.
package struct LibraryItem: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case story, chapter, whisper, progress
    }

    package let id: String
    package let kind: Kind
    /// The person whose it is.
    package let owner: String
    /// The owner's handle; empty when the account has ended.
    package let handle: String
    /// The story that a chapter is part of, or that a whisper is about.
    package let story: String?
    /// The chapter that a whisper is about, or that was read.
    package let chapter: String?
    /// The whisper that this one replies to.
    package let parent: String?
    package let slug: String?
    package let title: String?
    /// The summary of a story, the text of a whisper; that of a chapter only where it is asked for by itself.
    package var text: String?
    package let coverURL: String?
    /// The place of a chapter in its story.
    package let place: Int64?
    /// How much of the chapter was read.
    package let percent: Int64?
    /// Nil for a draft, which only its owner sees.
    package let publishedAt: Int64?
    /// When others could see it first.
    package let shownAt: Int64?
    package let createdAt: Int64
    /// Its version: greater with each change.
    package let updatedAt: Int64
    package let deletedAt: Int64?
    package let mark: LibraryMark

    /// Whether a person may see it.
    package func isVisible(to person: String) -> Bool {
        guard deletedAt == nil else { return false }
        if owner.utf8.elementsEqual(person.utf8) { return true }
        return publishedAt != nil && !handle.isEmpty
    }
}

/// The place of a change among all changes of the library.
package struct LibraryMark: Sendable, Equatable, Comparable {
    /// Seconds since 1970. Several changes have the same, but never a later change an earlier one.
    package let at: Int64
    package let number: Int64

    package init(at: Int64, number: Int64) {
        self.at = at
        self.number = number
    }

    /// Before all changes of this time or later.
    package init(before time: Int64) { self.init(at: time, number: 0) }

    package static func < (one: Self, other: Self) -> Bool {
        (one.at, one.number) < (other.at, other.number)
    }
}

/// A field of an item that changes by itself.
package enum LibraryField: String, Sendable, CaseIterable {
    case title, text, coverURL, place, percent
}

/// New values of fields. An empty text removes what is there.
package struct LibraryFields: Sendable, Equatable {
    package private(set) var texts: [LibraryField: String] = [:]
    package private(set) var numbers: [LibraryField: Int64] = [:]

    package init() {}

    package subscript(text field: LibraryField) -> String? {
        get { texts[field] }
        set { texts[field] = newValue }
    }

    package subscript(number field: LibraryField) -> Int64? {
        get { numbers[field] }
        set { numbers[field] = newValue }
    }

    package var isEmpty: Bool { texts.isEmpty && numbers.isEmpty }
    var byteCount: Int { texts.values.reduce(64) { $0 + $1.utf8.count } }
}

/// A person as others see it in the library.
package struct LibraryAuthor: Sendable, Equatable {
    package let person: String
    package let handle: String
    package let name: String
    package let followers: Int
    package let following: Int
    package let stories: Int
}
