import CWallets

/// What a wallet has signed with `personal_sign` (EIP-191).
package enum WalletSignature {
    /// The address whose key has signed a message. Throws for other text than a signature.
    static func signer(of message: String, _ signature: String) throws(WalletFault) -> WalletAddress {
        let digits = signature.hasPrefix("0x") ? signature.dropFirst(2) : signature[...]
        guard let bytes = Hex.bytes(digits), bytes.count == ROOMS_WALLET_SIGNATURE_LENGTH else {
            throw .noSignature
        }
        let content = Array(message.utf8)
        let hash = Keccak256.of(Array("\u{19}Ethereum Signed Message:\n\(content.count)".utf8) + content)
        var key = Array(repeating: UInt8(0), count: ROOMS_WALLET_KEY_LENGTH)
        switch rooms_wallet_signer(hash, bytes, &key) {
        case ROOMS_WALLET_SIGNED: return WalletAddress(publicKey: key)
        case ROOMS_WALLET_HIGH_S: throw .highS
        default: throw .noSignature
        }
    }
}
