/// All data that a server stores. A suite of tests checks the promises of each part for every implementation.
package protocol ServerStore:
    RoomStore, AccountDirectory, RoomCatalog, PushDirectory, PushOutbox, MediaIndex, PersonDirectory, SessionDirectory,
    SigningKeyStore, Inbox, CodeStore, MoodDirectory, ProfileDirectory, PasskeyDirectory, UploadDirectory,
    WalletDirectory, LibraryDirectory, InvitationDirectory, PersonalExport, ProviderTokenStore, OperatorStore,
    RecordingDirectory
{
    var health: StoreHealth { get }
    /// Calls a handler when the health changes, on a thread of the store.
    func onHealth(_ handler: @escaping @Sendable (StoreHealth) -> Void)
    var counters: StoreCounters { get }
    func close()
}
