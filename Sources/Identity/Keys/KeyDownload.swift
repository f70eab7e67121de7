import Fetch

/// One GET of a key set over a connection of its own.
struct KeyDownload: Sendable {
    let url: FetchURL
    let caFile: String?
    let limits: IdentityLimits

    /// Checks that the authorities can be used. They are read again for each fetch, so a new file takes effect.
    func check() throws(IdentityFault) {
        guard url.isSecure else { return }
        do throws(FetchFault) {
            try FetchAuthorities.check(caFile)
        } catch {
            throw IdentityFault(error.reason)
        }
    }

    /// Fetches the set. It follows no redirect: keys come only from the configured address.
    func run() throws(FetchFault) -> [UInt8] {
        var bounds = FetchLimits(bodyBytesMax: limits.keySetBytesMax, milliseconds: limits.fetchMilliseconds)
        bounds.headBytesMax = limits.responseHeadBytesMax
        let accept = [("Accept", "application/jwk-set+json, application/json")]
        let response = try FetchClient(url, caFile: caFile, limits: bounds).send(
            FetchRequest(headers: accept, isLast: true))
        switch response.status {
        case 200: return response.body
        case 300..<400:
            throw FetchFault("the answer is a redirect (status \(response.status)); give the address it leads to")
        default: throw FetchFault("the answer has status \(response.status)")
        }
    }
}
