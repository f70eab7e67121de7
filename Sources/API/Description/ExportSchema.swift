/// The content of a part of an export, as JSON Schema. It is the same in all groups.
enum ExportSchema {
    static let json = """
        "Export": {"type": "object", "required": ["data"], "properties": {
            "data": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "object"}},
                "description": "Rows by their kind. A kind may go on in the next part."},
            "nextCursor": {"type": "string", "description": "Absent in the last part."}}}
        """
}
