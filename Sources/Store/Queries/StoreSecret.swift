import Rooms

/// A random secret of the store, which stays the same. It is made with the tables, because a server that starts on a full disk writes
/// nothing.
struct StoreSecret {
    private let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func make() throws(StoreError) {
        let secret = RandomID.make() + RandomID.make()
        try database.run(
            "INSERT INTO secrets (id, secret) VALUES ('store', $1) ON CONFLICT DO NOTHING", .text(secret))
    }

    func value() throws(StoreError) -> String {
        let known = try database.first("SELECT secret FROM secrets WHERE id = 'store'") { $0.text(0) }
        guard let known else { throw .failed(database.shown, detail: "its secret is missing") }
        return known
    }
}
