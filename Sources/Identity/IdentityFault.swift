/// Why a verifier cannot be made from what it was given.
package struct IdentityFault: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
