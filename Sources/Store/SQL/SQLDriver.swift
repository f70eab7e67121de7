/// A kind of database at one place. It opens connections, and brings the schema up to the newest version.
///
/// The queries of the store (`Sources/Store/Queries`) are written once, in the SQL that SQLite 3.40 and PostgreSQL 15
/// share. A driver consists of this type, a `SQLConnection` with its `SQLRow`, the migrations of the schema, and a table
/// from the codes of the database to `StoreError`.
protocol SQLDriver: Sendable {
    /// The place in the form for messages.
    var shown: String { get }

    /// Opens the connection that writes. The schema has the newest version afterwards.
    ///
    /// - Parameters:
    ///   - isShared: whether the nodes of a cluster write, too. Otherwise earlier servers cannot any more; nodes that live
    ///     are a reason to refuse.
    ///   - check: looks at the database, and may begin to write. When it throws, the database is left as it was, with its
    ///     schema and its server.
    func openWriter(
        isShared: Bool, check: (any SQLConnection) throws(StoreError) -> Void
    ) throws(StoreError) -> any SQLConnection
    /// Opens connections that only read. Without any, the connection that writes also reads.
    func openReaders() throws(StoreError) -> [any SQLConnection]

    /// Adds the current sizes of the database.
    func measure(_ counters: inout StoreCounters)
    /// Allows another server to use the place. All connections are closed by then.
    func release()
}

extension SQLDriver {
    /// For a server. It does not start before a move to the place is finished.
    func openWriter(isShared: Bool = false) throws(StoreError) -> any SQLConnection {
        try openWriter(isShared: isShared) { database throws(StoreError) in
            if let source = try StoreMove.unfinished(database) { throw .unfinished(shown, moveOf: source) }
        }
    }
}
