/// Why a verifier cannot be made from its configuration.
package struct IdentityFault: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
