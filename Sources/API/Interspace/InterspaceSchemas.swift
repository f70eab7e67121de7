/// The contents of answers, as JSON Schema.
enum InterspaceSchemas {
    static let json = """
        {
        "Failure": {"type": "object", "required": ["error"], "additionalProperties": false, "properties": {
            "error": {"type": "object", "required": ["code", "message", "details"], "properties": {
                "code": {"type": "string", "enum": ["UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "VALIDATION_ERROR",
                    "RATE_LIMITED", "SERVER_ERROR"]},
                "message": {"type": "string", "description": "A sentence for users."},
                "details": {"type": "object"}}}}},
        \(ExportSchema.json),
        \(CredentialSchemas.json),
        "Wallets": {"type": "object", "required": ["wallets"], "properties": {
            "wallets": {"type": "array", "items": {"$ref": "#/components/schemas/Wallet"}}}},
        "APIRequests": {"type": "array", "minItems": 1, "maxItems": 20,
            "items": {"$ref": "#/components/schemas/APIRequest"}},
        "APIRequest": {"type": "object", "required": ["method", "path"], "properties": {
            "id": {"type": ["string", "null"], "maxLength": 32, "description": "What the answer to it is called."},
            "method": {"type": "string", "enum": ["GET", "POST", "PUT", "PATCH", "DELETE"]},
            "path": {"type": "string", "maxLength": 512, "pattern": "^/[^#]*$",
                "description": "Behind the base URL, with its query, such as /profiles?page=2."},
            "body": {"type": ["object", "null"]},
            "headers": {"type": ["object", "null"], "description": "Others than these are not used.", "properties": {
                "If-None-Match": {"type": "string"}, "Idempotency-Key": {"type": "string"}}}}},
        "Batch": {"type": "object", "required": ["responses"], "properties": {
            "responses": {"type": "array", "items": {"type": "object", "required": ["status", "headers", "body"],
                "properties": {
                    "id": {"type": "string"}, "status": {"type": "integer"},
                    "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                    "body": {"type": ["object", "array", "null"]}}}}}},
        "Settings": {"type": "object", "description": "Members that the application chooses; null removes one."},
        "AppleUser": {"type": "object", "properties": {"email": {"type": "string"},
            "firstName": {"type": "string"}, "lastName": {"type": "string"}}},
        "Tokens": {"type": "object", "required": ["accessToken", "refreshToken"], "properties": {
            "accessToken": {"type": "string"}, "refreshToken": {"type": "string"}}},
        "SignIn": {"type": "object", "required": ["accessToken", "refreshToken", "user"], "properties": {
            "accessToken": {"type": "string"}, "refreshToken": {"type": "string"},
            "user": {"$ref": "#/components/schemas/User"}}},
        "User": {"type": "object", "required": ["id", "email", "profiles", "settings", "createdAt", "updatedAt"],
            "properties": {
                "id": {"type": "string"}, "email": {"type": "string"},
                "profiles": {"type": "array", "items": {"$ref": "#/components/schemas/Profile"}},
                "settings": {"type": "object"}, "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"}}},
        "Profile": {"type": "object",
            "required": ["id", "username", "displayName", "bio", "avatar", "isDefault", "socialAccounts", "settings"],
            "properties": {
                "id": {"type": "string"}, "username": {"type": "string"}, "displayName": {"type": "string"},
                "bio": {"type": ["string", "null"]}, "avatar": {"type": ["string", "null"]},
                "isDefault": {"type": "boolean"},
                "socialAccounts": {"type": "array", "items": {"$ref": "#/components/schemas/SocialAccount"}},
                "settings": {"type": "object"}, "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"}}},
        "Profiles": {"type": "object", "required": ["profiles", "page", "limit", "total"], "properties": {
            "profiles": {"type": "array", "items": {"$ref": "#/components/schemas/Profile"}},
            "page": {"type": "integer"}, "limit": {"type": "integer"}, "total": {"type": "integer"}}},
        "SocialAccount": {"type": "object",
            "required": ["id", "platform", "accountId", "username", "profileUrl", "verified", "connectedAt"],
            "properties": {
                "id": {"type": "string"}, "platform": {"type": "string"}, "accountId": {"type": "string"},
                "username": {"type": "string"}, "profileUrl": {"type": ["string", "null"]},
                "verified": {"type": "boolean"}, "connectedAt": {"type": "string", "format": "date-time"}}},
        "SocialAccounts": {"type": "object", "required": ["accounts"], "properties": {
            "accounts": {"type": "array", "items": {"$ref": "#/components/schemas/SocialAccount"}}}},
        "App": {"type": "object", "required": ["id", "name", "icon", "permissions", "connectedAt"], "properties": {
            "id": {"type": "string"}, "name": {"type": "string"}, "icon": {"type": ["string", "null"]},
            "permissions": {"type": "array", "items": {"type": "string"}},
            "connectedAt": {"type": "string", "format": "date-time"}}},
        "Apps": {"type": "object", "required": ["apps"], "properties": {
            "apps": {"type": "array", "items": {"$ref": "#/components/schemas/App"}}}}
        }
        """
}
