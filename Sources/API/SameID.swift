extension String {
    /// Whether two ids are the same, byte for byte. Strings of Swift are equal when Unicode holds them for the same
    /// letters; people whose ids differ in bytes are not the same.
    func isSameID(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
