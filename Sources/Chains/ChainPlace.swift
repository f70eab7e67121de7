import Wire

/// A chain, the node that is asked about it, and what is asked for.
package struct ChainPlace: Sendable {
    package let url: String
    /// The number of EIP-155, which the node must name.
    package let chain: Int64
    /// What the chain's own coin is called; it has 18 decimals.
    package let coin: String
    package let tokens: [ChainToken]

    package init(url: String, chain: Int64, coin: String, tokens: [ChainToken]) {
        (self.url, self.chain, self.coin, self.tokens) = (url, chain, coin, tokens)
    }
}

/// A token of the chain (ERC-20), as operators write it: `USDC:0x…:6`.
package struct ChainToken: Sendable, Equatable {
    package static let decimalsMax = 36

    package let symbol: String
    /// The address of its contract.
    package let contract: String
    package let decimals: Int

    /// Nil for other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, Self.isSymbol(parts[0]), parts[1].hasPrefix("0x"), parts[1].utf8.count == 42,
            parts[1].utf8.dropFirst(2).allSatisfy({ ASCII.hexValue($0) != nil }),
            !parts[2].isEmpty, parts[2].utf8.count <= 2, parts[2].utf8.allSatisfy({ ASCII.isDigit($0) }),
            let decimals = Int(parts[2]), decimals <= Self.decimalsMax
        else { return nil }
        (symbol, contract, self.decimals) = (String(parts[0]), parts[1].lowercased(), decimals)
    }

    package static func isSymbol(_ text: some StringProtocol) -> Bool {
        (1...16).contains(text.utf8.count) && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
    }

    package var text: String { "\(symbol):\(contract):\(decimals)" }
}
