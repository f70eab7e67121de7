import Rooms
import Store

/// Reads rooms from the store. While a room is in use, its home writes its entries there.
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

    /// Nothing to do: a room leaves memory only when all of it is stored.
    func store(_ contents: RoomContents, of roomID: String) {}
}
