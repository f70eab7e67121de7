import Testing
import Transport

@testable import Configuration

@Suite("Addresses for phones")
struct NetworkAddressTests {
    private func origins(_ listens: String..., usesTLS: Bool = false) throws -> [String] {
        let addresses = try listens.map { ListenAddress.tcp(try #require(IPAddress($0)), port: 8080) }
        return NetworkAddresses.origins(addresses, usesTLS: usesTLS, of: ["192.168.1.20"])
    }

    @Test("There are none when the server listens on the computer itself")
    func loopback() throws {
        #expect(try origins("127.0.0.1", "::1").isEmpty)
    }

    @Test("A server that listens everywhere has those of the machine, once")
    func everywhere() throws {
        #expect(try origins("0.0.0.0", "::") == ["http://192.168.1.20:8080"])
        #expect(try origins("0.0.0.0", usesTLS: true) == ["https://192.168.1.20:8080"])
    }

    @Test("A private address is told, a public one is not")
    func one() throws {
        #expect(try origins("10.0.0.7") == ["http://10.0.0.7:8080"])
        #expect(try origins("8.8.8.8").isEmpty)
        #expect(NetworkAddresses.isPrivate("172.31.0.1") && !NetworkAddresses.isPrivate("172.32.0.1"))
        #expect(NetworkAddresses.privateOnes().allSatisfy(NetworkAddresses.isPrivate))
    }
}
