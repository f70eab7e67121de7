import Testing

@testable import Chains

/// What nodes may answer. Tests/clients/test_wallet_balances.py has nodes that fail and delay.
@Suite("Answers of nodes")
struct ChainNodeTests {
    private let place = ChainPlace(
        url: "https://node.example", chain: 1, coin: "ETH",
        tokens: [ChainToken("USDC:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6")].compactMap(\.self))
    private let word = "0x" + String(repeating: "0", count: 62)

    private func answers(_ changes: [Int: String] = [:], count: Int = 3) -> [UInt8] {
        let right = [
            #"{"id":0,"result":"0x1"}"#, #"{"id":1,"result":"0xde0b6b3a7640000"}"#,
            "{\"id\":2,\"result\":\"\(word)0a\"}",
        ]
        let all = right.enumerated().map { changes[$0.offset] ?? $0.element }
        return Array("[\(all.prefix(count).joined(separator: ","))]".utf8)
    }

    @Test("have the chain's number, its coin and its tokens")
    func right() throws {
        let balances = [
            ChainBalance(symbol: "ETH", amount: "1"), ChainBalance(symbol: "USDC", amount: "0.00001"),
        ]
        #expect(try ChainNode.read(answers(), place) == balances)
        // In any order, and with what nodes add.
        let other = answers([
            0: #"{"jsonrpc":"2.0","id":1,"error":null,"result":"0x0de0b6b3a7640000"}"#, 1: #"{"id":0,"result":"0x01"}"#,
        ])
        #expect(try ChainNode.read(other, place) == balances)
    }

    @Test(
        "are refused when they lie",
        arguments: [
            (0, #"{"id":0,"result":"0x89"}"#, "the node is of another chain"),
            (0, #"{"id":0,"result":1}"#, "the node gives no result"),
            (0, "null", "the node leaves a call out"), (0, "5", "the node leaves a call out"),
            (1, #"{"id":7,"result":"0x1"}"#, "the node leaves a call out"),
            (1, #"{"id":"1","result":"0x1"}"#, "the node leaves a call out"),
            (1, #"{"id":1,"error":{"code":-32000,"message":"0xabc"}}"#, "the node refuses a call (code -32000)"),
            (1, #"{"id":1,"error":"no"}"#, "the node refuses a call"), (1, #"{"id":1}"#, "the node gives no result"),
            (1, #"{"id":1,"result":{}}"#, "the node gives no result"),
            (1, #"{"id":1,"result":"0x"}"#, "the node gives no number"),
            (1, #"{"id":1,"result":"1.5"}"#, "the node gives no number"),
            (1, #"{"id":1,"result":"-0x1"}"#, "the node gives no number"),
            (2, #"{"id":2,"result":"0x"}"#, "the contract of USDC gives no balance"),
            (2, #"{"id":2,"result":"0x1"}"#, "the contract of USDC gives no balance"),
        ])
    func lies(index: Int, answer: String, reason: String) {
        #expect(throws: ChainFault(reason)) { try ChainNode.read(answers([index: answer]), place) }
    }

    @Test("are refused when they are long numbers or no words")
    func numbers() {
        for result in ["0x" + String(repeating: "1", count: 65), "0x" + String(repeating: "z", count: 64)] {
            #expect(throws: ChainFault.self) {
                try ChainNode.read(answers([1: "{\"id\":1,\"result\":\"\(result)\"}"]), place)
            }
            #expect(throws: ChainFault.self) {
                try ChainNode.read(answers([2: "{\"id\":2,\"result\":\"\(result)\"}"]), place)
            }
        }
    }

    @Test("are refused when they are no list of all answers", arguments: ["", "{}", "null", "<html>", "[]", "[[]]"])
    func form(text: String) {
        #expect(throws: ChainFault.self) { try ChainNode.read(Array(text.utf8), place) }
        #expect(throws: ChainFault("the node leaves calls out")) { try ChainNode.read(answers(count: 2), place) }
    }
}

@Suite("What contracts are asked, and answer")
struct ContractQuestionTests {
    private let place = ChainPlace(url: "https://node.example", chain: 1, coin: "ETH", tokens: [])

    @Test("is in whole words", arguments: [(1, 1), (32, 1), (33, 2), (65, 3), (96, 3), (2_048, 64)])
    func words(bytes: Int, words: Int) {
        let signature = String(repeating: "ab", count: bytes)
        let question = ContractQuestion(contract: "0x", hash: String(repeating: "c", count: 64), signature: signature)
        let data = question.data
        #expect(data.hasPrefix("0x1626ba7e" + String(repeating: "c", count: 64)))
        #expect(data.utf8.count == 10 + 64 * (3 + words))
        let length = data.dropFirst(10 + 128).prefix(64)
        #expect(Int(length, radix: 16) == bytes)
        #expect(data.dropFirst(10 + 192).hasPrefix(signature))
    }

    private func answer(_ second: String, chain: String = "0x1") -> [UInt8] {
        Array("[{\"id\":0,\"result\":\"\(chain)\"},\(second)]".utf8)
    }

    @Test("is a yes only as it is written down")
    func yes() throws {
        let yes = "0x1626ba7e" + String(repeating: "0", count: 56)
        #expect(try ChainNode.readAcceptance(answer("{\"id\":1,\"result\":\"\(yes)\"}"), place))
        for other in ["0x", "0x1626ba7e", yes + "0", "0x" + String(repeating: "0", count: 64)] {
            #expect(try !ChainNode.readAcceptance(answer("{\"id\":1,\"result\":\"\(other)\"}"), place))
        }
    }

    @Test("is a no when the contract breaks off, and nothing when the node fails")
    func breaksOff() throws {
        #expect(try !ChainNode.readAcceptance(answer(#"{"id":1,"error":{"code":3,"message":"x"}}"#), place))
        #expect(
            try !ChainNode.readAcceptance(
                answer(#"{"id":1,"error":{"code":-32000,"message":"execution reverted"}}"#), place))
        #expect(throws: ChainFault.self) {
            try ChainNode.readAcceptance(answer(#"{"id":1,"error":{"code":-32005,"message":"limit exceeded"}}"#), place)
        }
        let yes = "{\"id\":1,\"result\":\"0x1626ba7e\(String(repeating: "0", count: 56))\"}"
        #expect(throws: ChainFault.self) { try ChainNode.readAcceptance(answer(yes, chain: "0x2"), place) }
        #expect(throws: ChainFault.self) { try ChainNode.readAcceptance(Array("[]".utf8), place) }
    }
}
