/// Everything of a person, for the person.
package protocol PersonalExport: Sendable {
    /// A part of all rows about a person, in tables that have names of their own. Secrets are not among them. Throws
    /// `badCursor`.
    ///
    /// - Parameters:
    ///   - cursor: `next` of the part before; nil for the first.
    ///   - files: the address of an uploaded file without its key.
    func export(of person: String, after cursor: String?, files: String, then answer: @escaping Answer<ExportPart>)
}

package struct ExportPart: Sendable, Equatable {
    /// A JSON object: for each table with rows in this part a list of objects.
    package let json: [UInt8]
    /// Nil for the last part. Made of letters, digits and `.`.
    package let next: String?
}
