/// The time for which clients may keep an answer. The route, and no handler, decides who may keep it.
struct CacheControl: Sendable {
    /// The header of answers about which nothing else is said.
    static let nothing = (name: "Cache-Control", value: "no-store")
    /// Clients keep the answer, and ask each time whether it is still the same.
    static let checked = CacheControl(answer: "no-cache", unchanged: "no-cache")

    /// The directives of an answer, and of one that says that nothing has changed.
    let answer: String
    let unchanged: String
}

extension Route {
    /// `Cache-Control` of an answer that may be kept. Behind a token it is for its sender alone, and never for a cache that
    /// several people share.
    func cacheControl(_ directives: String) -> String { (isOpen ? "public, " : "private, ") + directives }
}
