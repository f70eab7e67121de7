import Wire

/// What a contract is asked: whether it takes a signature for its own (EIP-1271).
package struct ContractQuestion: Sendable {
    /// `0x` and 40 hexadecimal digits.
    package let contract: String
    /// 64 hexadecimal digits.
    package let hash: String
    /// Pairs of hexadecimal digits.
    package let signature: String

    package init(contract: String, hash: String, signature: String) {
        (self.contract, self.hash, self.signature) = (contract, hash, signature)
    }

    /// `isValidSignature(bytes32,bytes)`: the beginning of its hash, the hash, where the signature is, its length, and the
    /// signature, in whole words of 32 bytes.
    var data: String {
        let length = String(signature.utf8.count / 2, radix: 16)
        let place = String(repeating: "0", count: 62) + "40"
        let missing = (64 - signature.utf8.count % 64) % 64
        return "0x" + Self.selector + hash + place + String(repeating: "0", count: 64 - length.utf8.count) + length
            + signature + String(repeating: "0", count: missing)
    }

    /// A contract that takes the signature answers with the beginning of its function's hash, and nothing behind it.
    static let yes = "0x" + selector + String(repeating: "0", count: 56)
    private static let selector = "1626ba7e"
}

extension ChainNode {
    /// What a contract may compute at the node's expense.
    private static let gasMax = "0x4c4b40"

    /// Whether a contract takes a signature. An address without a contract takes none.
    package func accepts(_ question: ContractQuestion) throws(ChainFault) -> Bool {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginArray()
            json.call("eth_chainId", id: 0) { _ in }
            json.call("eth_call", id: 1) { json in
                json.beginObject()
                json.member("to", question.contract)
                json.member("data", question.data)
                json.member("gas", Self.gasMax)
                json.endObject()
                json.string("latest")
            }
            json.endArray()
        }
        return try Self.readAcceptance(try ask(body), place)
    }

    static func readAcceptance(_ body: [UInt8], _ place: ChainPlace) throws(ChainFault) -> Bool {
        let answers = try answers(body, count: 2, place)
        if let error = answers.first(where: { $0["id"]?.int == 1 })?["error"], isRevert(error) { return false }
        return try result(1, of: answers).lowercased() == ContractQuestion.yes
    }

    /// A contract may refuse a signature by breaking off. Nodes have a code for that, or say it in words.
    private static func isRevert(_ error: JSONReader) -> Bool {
        error["code"]?.int == 3 || error["message"]?.string?.contains("revert") == true
    }
}
