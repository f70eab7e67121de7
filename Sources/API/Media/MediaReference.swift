import Media
import Rooms
import Wire

/// The server's own files among the URLs that an element or a profile shows. The form of the URL decides. The host does
/// not count, because one server has several names.
package enum MediaReference {
    /// The key at the end of an URL like `https://rooms.example/media/k3m….jpg`.
    static func key(inURL url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 5, parts[parts.count - 2] == "media", let key = MediaKey(parts[parts.count - 1]) else {
            return nil
        }
        return key.description
    }

    /// The keys of the files that an element with these values shows.
    @Sendable package static func keys(of values: Element.Values) -> [String] {
        [Element.Field.imageUrl, .audioUrl].compactMap { field in
            let json = values[field.rawValue]
            guard !json.isEmpty, let url = try? JSONReader(json).string else { return nil }
            return key(inURL: url)
        }
    }
}
