/// The contents of answers, as JSON Schema.
enum SubspaceSchemas {
    static let json = """
        {
        "Failure": {"type": "object", "required": ["error"], "additionalProperties": false, "properties": {
            "error": {"type": "string", "description": "A sentence for users."}}},
        \(ExportSchema.json),
        "Health": {"type": "object", "required": ["status", "timestamp"], "properties": {
            "status": {"type": "string", "enum": ["healthy", "unhealthy"]},
            "timestamp": {"type": "string", "format": "date-time"}}},
        "User": {"type": "object", "required": ["id", "name", "email", "createdAt", "updatedAt"], "properties": {
            "id": {"type": "string", "format": "uuid"}, "name": {"type": "string"},
            "email": {"type": "string", "description": "Empty unless it is the sender's or the sender is an administrator."},
            "createdAt": {"type": "string", "format": "date-time"},
            "updatedAt": {"type": "string", "format": "date-time"}}},
        "Auth": {"type": "object", "required": ["token", "user"], "properties": {
            "token": {"type": "string"}, "user": {"$ref": "#/components/schemas/User"}}},
        "Users": {"type": "object", "required": ["data", "total", "limit", "offset"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/User"}},
            "total": {"type": "integer"}, "limit": {"type": "integer"}, "offset": {"type": "integer"}}},
        "Message": {"type": "object",
            "required": ["id", "userId", "senderId", "content", "kind", "isRead", "createdAt", "updatedAt"], "properties": {
                "id": {"type": "string", "format": "uuid"}, "userId": {"type": "string"},
                "senderId": {"type": ["string", "null"], "description": "null for a message of the server."},
                "content": {"type": "string"}, "kind": {"type": "string", "enum": ["info", "warning", "error", "success"]},
                "isRead": {"type": "boolean"}, "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"}}},
        "Messages": {"type": "object", "required": ["data", "total", "limit", "offset"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Message"}},
            "total": {"type": "integer"}, "limit": {"type": "integer"}, "offset": {"type": "integer"}}},
        "Count": {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}}
        }
        """
}
