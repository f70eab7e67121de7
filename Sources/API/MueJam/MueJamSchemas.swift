/// The contents of answers, as JSON Schema.
enum MueJamSchemas {
    static let json = """
        {
        "Failure": {"type": "object", "required": ["error"], "additionalProperties": false, "properties": {
            "error": {"type": "object", "required": ["code", "message"], "additionalProperties": false, "properties": {
                "code": {"type": "string"},
                "message": {"type": "string", "description": "A sentence for users."},
                "details": {"type": "object"},
                "retry_guidance": {"type": "string"}}}}},
        "Success": {"type": "object", "required": ["success"], "properties": {
            "success": {"const": true}, "message": {"type": "string"}}},
        "Tokens": {"type": "object", "required": ["access_token", "refresh_token", "token_type", "expires_in"],
            "properties": {"access_token": {"type": "string"}, "refresh_token": {"type": "string"},
                "token_type": {"const": "bearer"}, "expires_in": {"type": "integer"}}},
        "SignIn": {"type": "object",
            "required": ["access_token", "refresh_token", "token_type", "expires_in", "user"],
            "properties": {"access_token": {"type": "string"}, "refresh_token": {"type": "string"},
                "token_type": {"const": "bearer"}, "expires_in": {"type": "integer"},
                "user": {"type": "object", "required": ["id", "name", "email"], "properties": {
                    "id": {"type": "string"}, "name": {"type": "string"}, "email": {"type": "string"}}}}}
        }
        """
}
