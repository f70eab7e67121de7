/// Why a verifier cannot be made from what it was given.
public struct IdentityFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
