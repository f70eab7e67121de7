extension String {
    /// Whether two ids are equal byte for byte. Strings of Swift are equal when Unicode treats them as the same text;
    /// users whose ids differ in bytes are different.
    func isSameID(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
