/// Stories, chapters, whispers and progress, and what people do with them.
///
/// Changes have numbers in the order in which they are stored, on all nodes. So a reader of all changes up to a mark gets
/// each later one by asking for those after it.
package protocol LibraryDirectory: Sendable {
    /// Makes a change; once for each key.
    func changeLibrary(
        _ change: LibraryChange, by actor: LibraryActor, as key: IdempotencyKey?,
        then answer: @escaping Answer<Result<LibraryDone, LibraryRefusal>>)

    /// Reads stories from a JSON text, all or none: see `LibraryImport`.
    func importLibrary(_ json: [UInt8], then answer: @escaping Answer<LibraryImport.Report>)

    /// What a person may see under an id or a slug, with its text.
    func libraryItem(
        _ kind: LibraryItem.Kind, _ name: String, for person: String, then answer: @escaping Answer<LibraryItem?>)
    func libraryItems(
        _ list: LibraryList, for person: String, _ page: PageRequest, then answer: @escaping Answer<Page<LibraryItem>>)

    /// What has changed after a mark, the oldest first; without a mark all that a person may see.
    func libraryChanges(
        of kind: LibraryItem.Kind, after mark: LibraryMark?, for person: String, limit: Int,
        then answer: @escaping Answer<LibraryChanges>)

    /// By id or handle. The person itself is made known to the library with the first question.
    func author(_ name: String, then answer: @escaping Answer<LibraryAuthor?>)
    func ownAuthor(_ actor: LibraryActor, then answer: @escaping Answer<LibraryAuthor>)
    /// Sets the handle of a person who has nothing in the library yet. Throws `taken("handle")`, or `conflict`.
    func setHandle(_ handle: String, of actor: LibraryActor, then answer: @escaping Answer<LibraryAuthor>)

    func likes(of item: String, by person: String, then answer: @escaping Answer<(count: Int, isLiked: Bool)>)
    func isFollowing(_ person: String, _ other: String, then answer: @escaping Answer<Bool>)
    /// The people that a person follows, or its followers, by id.
    func follows(
        of person: String, followers: Bool, _ page: PageRequest, then answer: @escaping Answer<Page<LibraryAuthor>>)
}

/// The person that makes a change.
package struct LibraryActor: Sendable {
    package let id: String
    package let name: String
    /// Whether the actor may remove what others have published.
    package let isAdmin: Bool

    package init(id: String, name: String, isAdmin: Bool = false) {
        self.id = id
        self.name = name
        self.isAdmin = isAdmin
    }
}

package enum LibraryChange: Sendable {
    case add(NewLibraryItem)
    /// - Parameter version: `updatedAt` of the item as the client knows it; nil to change it in any case.
    case edit(LibraryItem.Kind, String, LibraryFields, version: Int64?)
    case remove(LibraryItem.Kind, String, version: Int64?)
    case publish(LibraryItem.Kind, String, Bool)
    /// How much of a chapter the actor has read.
    case read(chapter: String, percent: Int64, version: Int64?)
    case like(LibraryItem.Kind, String, Bool)
    case follow(String, Bool)
}

package struct NewLibraryItem: Sendable {
    package let kind: LibraryItem.Kind
    package var fields: LibraryFields
    package var story: String?
    package var chapter: String?
    package var parent: String?
    /// Made of the title if it is missing or taken.
    package var slug: String?
    package var isPublished = false

    package init(_ kind: LibraryItem.Kind, _ fields: LibraryFields) {
        self.kind = kind
        self.fields = fields
    }
}

package struct LibraryDone: Sendable, Equatable {
    /// The id of what was changed.
    package let id: String
    /// As it is now; nil for what was removed, and for likes and follows.
    package let item: LibraryItem?
    /// False for a repeated request.
    package let isNew: Bool
}

package enum LibraryRefusal: Error, Sendable, Equatable {
    case notFound(String)
    case notOwner
    /// Others have changed these fields since the client's version.
    case clash(LibraryItem, version: Int64, [LibraryField])
    /// The state does not allow it; with a sentence.
    case conflict(String)
}

package enum LibraryList: Sendable, Equatable {
    /// Published ones, the newest first.
    case stories
    /// One's own, also drafts.
    case ownStories
    case storiesOf(author: String)
    /// In their order.
    case chapters(story: String)
    /// The newest first.
    case whispers
    case whispersAbout(story: String)
    /// The oldest first.
    case replies(to: String)
    /// One's own.
    case progress
}

package struct LibraryChanges: Sendable, Equatable {
    package let items: [LibraryItem]
    /// What the person does not see any more.
    package let removed: [Removed]
    /// The mark after which the next page begins; nil on the last page.
    package let next: LibraryMark?
    /// The mark after which later changes are.
    package let end: LibraryMark
    /// Whether deletions since the mark are not remembered, so that some of them are missing.
    package let forgets: Bool

    package struct Removed: Sendable, Equatable {
        package let id: String
        package let at: Int64
        /// Of the change.
        package let number: Int64
    }
}
