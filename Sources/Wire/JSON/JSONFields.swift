/// The members of an object that were asked for, in the order of the keys asked with, without an allocation.
@frozen
public struct JSONFields: Sendable {
    /// The whole object, to be relayed as it stands.
    public internal(set) var object: JSONField = .absent
    @usableFromInline var fields = InlineArray<16, JSONField>(repeating: .absent)

    /// The member with the key at this place of the `JSONKeys`; `.absent` if the object has none.
    public internal(set) subscript(index: Int) -> JSONField {
        @inlinable get { fields[index] }
        set { fields[index] = newValue }
    }
}
