/// The chain that wallets are of.
package struct WalletChain: Sendable, Equatable {
    package static let ethereum = WalletChain(id: 1, name: "ethereum")

    /// The number of EIP-155.
    package let id: Int64
    package let name: String

    package init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}
