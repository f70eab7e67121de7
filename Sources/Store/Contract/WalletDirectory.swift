/// The wallets of people. An address belongs to one person.
package protocol WalletDirectory: Sendable {
    /// Makes a person who signs in with a wallet. Throws `taken("wallet")` when a person has its address.
    func addPerson(_ person: NewPerson, with wallet: Wallet, then answer: @escaping Answer<AccountHolder>)
    /// Gives the wallet's person one more, and answers it as it is then. The person's own address is not added again. If what
    /// the person has shown is still so, the person may sign in with the wallet from now on. Throws `notFound("user")`,
    /// `taken("wallet")` when another person has the address, or `conflict` past `StoreLimits.walletsMax` of a person.
    func connectWallet(_ wallet: Wallet, showing proof: PersonProof?, then answer: @escaping Answer<Wallet>)
    /// - Parameter address: in small letters.
    func wallet(address: String, then answer: @escaping Answer<KnownWallet?>)
    /// In the order in which they were connected.
    func wallets(of person: String, then answer: @escaping Answer<[Wallet]>)
    /// Makes a wallet the person's primary one. Nil when the person does not have it.
    func preferWallet(_ id: String, of person: String, then answer: @escaping Answer<Wallet?>)
    /// Answers whether the person had it. The oldest of those that are left takes the place of the primary one. Throws `conflict`
    /// when the person could not sign in without it.
    func removeWallet(_ id: String, of person: String, then answer: @escaping Answer<Bool>)
    /// Keeps what a chain says of a wallet. Answers whether the wallet is there and something else was known of it. A store that
    /// notifies tells the person's devices of a change.
    ///
    /// - Parameter balances: a JSON object.
    func keepBalances(_ balances: [UInt8], of id: String, then answer: @escaping Answer<Bool>)
    /// Answers wallets whose people have devices that want to hear of balances, those first that were claimed the longest ago;
    /// none if the store does not notify. Of all nodes one gets a wallet.
    ///
    /// - Parameter lastBefore: wallets that were claimed later are left out.
    func claimWallets(limit: Int, lastBefore: Int64, at now: Int64, then answer: @escaping Answer<[Wallet]>)
}

package struct Wallet: Sendable, Equatable {
    package let id: String
    package let person: String
    /// In small letters.
    package let address: String
    /// The program that has the key, such as metamask.
    package let kind: String
    package let isPrimary: Bool
    /// Whether the person signs in with it.
    package let signsIn: Bool
    package let createdAt: Int64
    package let usedAt: Int64

    package init(
        id: String, person: String, address: String, kind: String, isPrimary: Bool = false, signsIn: Bool = false,
        createdAt: Int64, usedAt: Int64
    ) {
        self.id = id
        self.person = person
        self.address = address
        self.kind = kind
        self.isPrimary = isPrimary
        self.signsIn = signsIn
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

package struct KnownWallet: Sendable, Equatable {
    package let wallet: Wallet
    package let person: AccountHolder
}
