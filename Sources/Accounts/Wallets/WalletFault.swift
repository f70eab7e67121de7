/// What is wrong with a signed message of a wallet.
package enum WalletFault: Error, Equatable, Sendable {
    /// The message has not the form of EIP-4361; with what the form has there.
    case form(String)
    /// The address of the message is not written with the checksum of EIP-55; with the right one, if it is an address.
    case checksum(String?)
    /// The message is for another domain than its URI, or for one that is not this server's.
    case domain(String)
    case version
    /// The message is for another chain; with that of this server.
    case chain(Int64)
    /// The message was not made just now, or its time has ended or not begun.
    case time
    /// The nonce is none of this server for that, was used before, or came too late.
    case nonce
    /// The signature is none of 65 bytes in hexadecimal digits.
    case noSignature
    /// The signature may be computed from another valid one.
    case highS
    /// The signature is one of a contract that does not exist yet (EIP-6492).
    case notDeployed
    /// Another address has signed the message.
    case signer
    /// The address beside the message is not the message's.
    case address
}
