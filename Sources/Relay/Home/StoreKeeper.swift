import Rooms
import Store

/// Gives rooms back out of the store, into which their homes write what they log while they are in use.
struct StoreKeeper: RoomKeeper {
    let store: any RoomStore

    func load(
        _ roomID: String, later: @escaping @Sendable (Result<RoomContents?, RoomError>) -> Void
    ) -> Result<RoomContents?, RoomError>? {
        store.load(roomID) { result in
            switch result {
            case .success(let room): later(.success(room?.contents))
            case .failure: later(.failure(RoomError(.server, "The room cannot be read at the moment.")))
            }
        }
        return nil
    }

    /// All of it is stored: a room leaves memory only then.
    func store(_ contents: RoomContents, of roomID: String) {}
}
