import CWallets
import Chains
import Wire

/// What a wallet has signed with `personal_sign` (EIP-191).
package enum WalletSignature {
    /// Bytes of a signature that a contract is asked about. The owners of a contract may sign together.
    static let contractBytesMax = 2_048

    static func hash(of message: String) -> [UInt8] {
        let content = Array(message.utf8)
        return Keccak256.of(Array("\u{19}Ethereum Signed Message:\n\(content.count)".utf8) + content)
    }

    /// The address whose key has signed a message. Throws for other text than a signature.
    static func signer(of message: String, _ signature: String) throws(WalletFault) -> WalletAddress {
        let digits = signature.hasPrefix("0x") ? signature.dropFirst(2) : signature[...]
        guard let bytes = Hex.bytes(digits), bytes.count == ROOMS_WALLET_SIGNATURE_LENGTH else {
            throw .noSignature
        }
        let hash = hash(of: message)
        var key = Array(repeating: UInt8(0), count: ROOMS_WALLET_KEY_LENGTH)
        switch rooms_wallet_signer(hash, bytes, &key) {
        case ROOMS_WALLET_SIGNED: return WalletAddress(publicKey: key)
        case ROOMS_WALLET_HIGH_S: throw .highS
        default: throw .noSignature
        }
    }

    /// Whether it is one of a contract that does not exist yet (EIP-6492): those end in the same 32 bytes.
    static func isOfFutureContract(_ signature: String) -> Bool {
        signature.utf8.suffix(64).elementsEqual(String(repeating: "6492", count: 16).utf8)
    }

    /// What the contract at an address is asked about a signature. Nil for other text than a signature.
    static func question(of message: String, _ signature: String, to address: WalletAddress) -> ContractQuestion? {
        let digits = signature.hasPrefix("0x") ? signature.dropFirst(2) : signature[...]
        guard (1...contractBytesMax).contains(digits.utf8.count / 2), let bytes = Hex.bytes(digits) else { return nil }
        return ContractQuestion(contract: address.text, hash: Hex.text(hash(of: message)), signature: Hex.text(bytes))
    }
}
