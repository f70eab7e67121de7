/// The contents of answers, as JSON Schema.
enum SoulSchemas {
    static let json = """
        {
        "Failure": {"type": "object", "required": ["detail"], "additionalProperties": false, "properties": {
            "detail": {"type": "string", "description": "A sentence for users."}}},
        \(ExportSchema.json),
        "Status": {"type": "object", "required": ["status"], "properties": {
            "status": {"type": "string", "enum": ["ok", "unavailable"]},
            "preview_code": {"type": "string", "description": "The code itself, on a server for developers."}}},
        "User": {"type": "object", "required": ["id", "email"], "properties": {
            "id": {"type": "integer"},
            "email": {"type": "string", "description": "PHONE@example.com for a person without an address."}}},
        "Tokens": {"type": "object", "required": ["access_token", "refresh_token"], "properties": {
            "access_token": {"type": "string"}, "refresh_token": {"type": "string"}}},
        "SignIn": {"type": "object", "required": ["access_token", "token_type", "refresh_token", "user"], "properties": {
            "access_token": {"type": "string"}, "token_type": {"const": "bearer"}, "refresh_token": {"type": "string"},
            "user": {"$ref": "#/components/schemas/User"}}},
        "Mood": {"type": "object", "required": ["id", "scale", "note", "felt_at", "created_at", "updated_at"],
            "properties": {
                "id": {"type": "string"}, "scale": {"type": "integer", "minimum": 1, "maximum": 10},
                "note": {"type": ["string", "null"]}, "felt_at": {"type": "string", "format": "date-time"},
                "created_at": {"type": "string", "format": "date-time"},
                "updated_at": {"type": "string", "format": "date-time"}}},
        "Moods": {"type": "object", "required": ["moods"], "properties": {
            "moods": {"type": "array", "items": {"$ref": "#/components/schemas/Mood"}},
            "next_cursor": {"type": "string", "description": "Missing on the last page."}}}
        }
        """
}
