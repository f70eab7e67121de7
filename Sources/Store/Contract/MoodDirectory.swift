/// The moods that people noted. A store that notifies tells the person's other devices of each change: `session` is that of the
/// device that has made it.
package protocol MoodDirectory: Sendable {
    /// Answers the mood as it is stored, and whether it is new: the same mood under the same id is noted once. Throws
    /// `notFound("user")`; or `conflict` when the id belongs to another mood, or past `StoreLimits.moodsMax` of a person.
    ///
    /// - Parameter comparesTime: whether the time at which it was felt is the client's, so that it must be the same.
    func addMood(
        _ mood: Mood, comparesTime: Bool, by session: String?, then answer: @escaping Answer<(mood: Mood, isNew: Bool)>)

    func mood(_ id: String, of person: String, then answer: @escaping Answer<Mood?>)
    /// By the time at which they were felt, the newest first.
    ///
    /// - Parameter period: seconds since 1970, with both ends.
    func moods(
        of person: String, in period: ClosedRange<Int64>, _ page: PageRequest, then answer: @escaping Answer<Page<Mood>>
    )

    /// Changes what is not nil; an empty note removes it. Answers nil when the person has no such mood.
    func changeMood(
        _ id: String, of person: String, _ change: MoodChange, by session: String?, at now: Int64,
        then answer: @escaping Answer<Mood?>)
    /// Answers whether the person had it.
    func removeMood(_ id: String, of person: String, by session: String?, then answer: @escaping Answer<Bool>)
}

package struct Mood: Sendable, Equatable {
    package let id: String
    package let person: String
    package let scale: Int
    package let note: String?
    /// When the person felt so.
    package let feltAt: Int64
    package let createdAt: Int64
    package let updatedAt: Int64

    package init(
        id: String, person: String, scale: Int, note: String?, feltAt: Int64, createdAt: Int64, updatedAt: Int64
    ) {
        self.id = id
        self.person = person
        self.scale = scale
        self.note = note
        self.feltAt = feltAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

package struct MoodChange: Sendable {
    package let scale: Int?
    package let note: String?
    package let feltAt: Int64?

    package init(scale: Int?, note: String?, feltAt: Int64?) {
        self.scale = scale
        self.note = note
        self.feltAt = feltAt
    }
}
