import Fetch
import Wire

/// Why a node has not said what an address has, as a phrase for the log. It names no address.
package struct ChainFault: Error, Equatable, Sendable {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// What an address has of a coin or a token: an exact decimal number.
package struct ChainBalance: Sendable, Equatable {
    package let symbol: String
    package let amount: String
}

/// A node of a chain that answers JSON-RPC over HTTP. For one thread.
package final class ChainNode {
    private static let coinDecimals = 18

    private let client: FetchClient
    let place: ChainPlace

    /// Nil when the address is neither https nor http on loopback.
    package init?(
        _ place: ChainPlace, limits: FetchLimits = FetchLimits(bodyBytesMax: 64 << 10, milliseconds: 5_000)
    ) {
        guard let url = FetchURL(place.url) else { return nil }
        client = FetchClient(url, limits: limits)
        self.place = place
    }

    /// All that an address has, in one request: the chain's coin, and each token.
    ///
    /// - Parameter address: `0x` and 40 hexadecimal digits.
    package func balances(of address: String) throws(ChainFault) -> [ChainBalance] {
        try Self.read(try ask(calls(about: address)), place)
    }

    /// Sends calls, and gives what the node answers.
    func ask(_ calls: [UInt8]) throws(ChainFault) -> [UInt8] {
        let request = FetchRequest(
            "POST", headers: [("Content-Type", "application/json"), ("Accept", "application/json")], body: calls)
        let response: FetchResponse
        do throws(FetchFault) {
            response = try client.send(request)
        } catch {
            throw ChainFault(error.reason)
        }
        guard response.status == 200 else { throw ChainFault("the node answers \(response.status)") }
        return response.body
    }

    private func calls(about address: String) -> [UInt8] {
        // `balanceOf(address)`: the beginning of its hash, and the address in 32 bytes.
        let data = "0x70a08231" + String(repeating: "0", count: 24) + address.dropFirst(2)
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginArray()
            json.call("eth_chainId", id: 0) { _ in }
            json.call("eth_getBalance", id: 1) { json in
                json.string(address)
                json.string("latest")
            }
            for (index, token) in place.tokens.enumerated() {
                json.call("eth_call", id: index + 2) { json in
                    json.beginObject()
                    json.member("to", token.contract)
                    json.member("data", data)
                    json.endObject()
                    json.string("latest")
                }
            }
            json.endArray()
        }
        return body
    }

    // MARK: The answer

    static func read(_ body: [UInt8], _ place: ChainPlace) throws(ChainFault) -> [ChainBalance] {
        let answers = try answers(body, count: place.tokens.count + 2, place)
        var balances = [ChainBalance(symbol: place.coin, amount: try amount(1, of: answers, coinDecimals))]
        for (index, token) in place.tokens.enumerated() {
            let result = try result(index + 2, of: answers)
            // A contract answers with 32 bytes. An address without one answers with none.
            guard result.utf8.count == 2 + ChainAmount.digitsMax else {
                throw ChainFault("the contract of \(token.symbol) gives no balance")
            }
            balances.append(
                ChainBalance(symbol: token.symbol, amount: try amount(index + 2, of: answers, token.decimals)))
        }
        return balances
    }

    /// The answers to so many calls, of which the first asks for the chain.
    static func answers(_ body: [UInt8], count: Int, _ place: ChainPlace) throws(ChainFault) -> [JSONReader] {
        guard let answers = (try? JSONReader(body))?.items else {
            throw ChainFault("the node does not answer several calls at once")
        }
        guard answers.count == count else { throw ChainFault("the node leaves calls out") }
        guard ChainAmount.text(try result(0, of: answers), decimals: 0) == "\(place.chain)" else {
            throw ChainFault("the node is of another chain")
        }
        return answers
    }

    private static func amount(_ id: Int, of answers: [JSONReader], _ decimals: Int) throws(ChainFault) -> String {
        guard let text = ChainAmount.text(try result(id, of: answers), decimals: decimals) else {
            throw ChainFault("the node gives no number")
        }
        return text
    }

    /// Answers may come in any order.
    static func result(_ id: Int, of answers: [JSONReader]) throws(ChainFault) -> String {
        guard let answer = answers.first(where: { $0["id"]?.int == id }) else {
            throw ChainFault("the node leaves a call out")
        }
        if let error = answer["error"], error.kind != .null {
            throw ChainFault("the node refuses a call" + (error["code"]?.int.map { " (code \($0))" } ?? ""))
        }
        guard let result = answer["result"]?.string else { throw ChainFault("the node gives no result") }
        return result
    }
}

extension JSONWriter {
    mutating func call(_ method: String, id: Int, _ parameters: (inout JSONWriter) -> Void) {
        beginObject()
        member("jsonrpc", "2.0")
        member("id", id)
        member("method", method)
        key("params")
        beginArray()
        parameters(&self)
        endArray()
        endObject()
    }
}
