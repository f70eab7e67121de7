/// Why the store refused a request. The cases of the first group concern its place and name it. Those of the second
/// concern the request.
package enum StoreError: Error, Equatable, Sendable {
    // The place.
    case diskFull(String)
    case readOnly(String)
    /// The stored data are damaged. The store writes nothing until the server is restarted.
    case corrupt(String)
    /// There is a file that is not the store's.
    case notAStore(String)
    /// Other servers and this one waited for each other's rows. The same at once again may succeed.
    case contended(String)
    /// Another program has locked the database for too long.
    case locked(String)
    /// Another server, with this process id if it is known, uses the directory.
    case inUse(String, by: Int32?)
    /// The file was moved or deleted under the running server.
    case moved(String)
    case newer(String, version: Int, known: Int)
    /// Rows of the named source are missing.
    case unfinished(String, moveOf: String)
    case failed(String, detail: String)

    // The demand.
    /// More waits to be stored than the store may hold.
    case overloaded
    case closed
    /// The session has ended for which this was asked.
    case ended
    /// The object does not exist; with the name of its kind.
    case notFound(String)
    /// Another user has it; with the name of the field.
    case taken(String)
    /// The entries do not follow the stored one with this number.
    case outOfOrder(stored: UInt64)
    /// Another node has become the room's home.
    case notHome
    /// A sentence about the conflict with stored data.
    case conflict(String)
    /// A limit that all nodes share allows no more for now; with its name.
    case usedUp(String, waitSeconds: Int64)
    case badCursor

    /// Whether the place fails, so that every request fails.
    package var isOfStorage: Bool {
        switch self {
        case .diskFull, .readOnly, .corrupt, .notAStore, .contended, .locked, .inUse, .moved, .newer, .unfinished,
            .failed:
            true
        case .overloaded, .closed, .ended, .notFound, .taken, .outOfOrder, .notHome, .conflict, .usedUp, .badCursor:
            false
        }
    }

    /// Whether the same request may succeed later.
    package var isPassing: Bool {
        switch self {
        case .diskFull, .readOnly, .contended, .locked, .failed, .moved, .overloaded: true
        default: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .diskFull(let path): "There is no space left for \(path)."
        case .readOnly(let path): "\(path) may not be written by this user, or is on a read-only disk."
        case .corrupt(let path): "\(path) is damaged. Stop the server and restore a backup, or run rooms check."
        case .notAStore(let path): "\(path) is not a database of Rooms."
        case .contended(let path):
            "Another server waits for rows of \(path) that this one holds, and the other way round."
        case .locked(let path): "Another program holds a lock on \(path)."
        case .inUse(let path, by: nil): "Another server uses \(path)."
        case .inUse(let path, by: let process?): "Another server, process \(process), uses \(path)."
        case .moved(let path): "\(path) was moved or deleted while it was in use."
        case .newer(let path, let version, let known):
            "\(path) has version \(version), from a newer server; this one knows versions up to \(known)."
        case .unfinished(let path, let source):
            "The move of \(source) to \(path) is not finished. Repeat rooms move-store."
        case .failed(let path, let detail): "\(path) cannot be used: \(detail)."
        case .overloaded: "More is waiting to be stored than there is room for."
        case .closed: "The store is closed."
        case .ended: "The session has ended."
        case .notFound(let kind): "There is no such \(kind)."
        case .taken(let field): "This \(field) is taken."
        case .outOfOrder(let stored): "The entries do not follow the room's stored entry \(stored)."
        case .notHome: "Another node is home to the room now."
        case .conflict(let sentence): sentence
        case .usedUp(_, let seconds): "No more of this for \(seconds) seconds."
        case .badCursor: "The cursor is not one that was given out."
        }
    }
}
