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
        \(ExportSchema.json),
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
                    "id": {"type": "string"}, "name": {"type": "string"}, "email": {"type": "string"}}}}},
        "Author": {"type": "object", "required": ["id", "handle"], "properties": {
            "id": {"type": "string"}, "handle": {"type": "string"}}},
        "Story": {"type": "object", "description": "`fields` leaves members out. `deep_link` is for phones.",
            "properties": {
                "id": {"type": "string"}, "title": {"type": "string"}, "slug": {"type": "string"},
                "summary": {"type": ["string", "null"]}, "cover_url": {"type": ["string", "null"]},
                "author": {"$ref": "#/components/schemas/Author"},
                "status": {"type": "string", "enum": ["draft", "published"]},
                "published_at": {"type": ["string", "null"], "format": "date-time"},
                "created_at": {"type": "string", "format": "date-time"},
                "updated_at": {"type": "string", "format": "date-time"},
                "web_url": {"type": "string"}, "deep_link": {"type": "string"}}},
        "Chapter": {"type": "object", "properties": {
            "id": {"type": "string"}, "story_id": {"type": "string"}, "title": {"type": "string"},
            "slug": {"type": "string"}, "position": {"type": "integer"},
            "content": {"type": "string", "description": "Missing in lists."},
            "author": {"$ref": "#/components/schemas/Author"},
            "status": {"type": "string", "enum": ["draft", "published"]},
            "published_at": {"type": ["string", "null"], "format": "date-time"},
            "created_at": {"type": "string", "format": "date-time"},
            "updated_at": {"type": "string", "format": "date-time"},
            "web_url": {"type": "string"}, "deep_link": {"type": "string"}}},
        "Whisper": {"type": "object", "properties": {
            "id": {"type": "string"}, "content": {"type": "string"}, "story_id": {"type": ["string", "null"]},
            "chapter_id": {"type": ["string", "null"]}, "parent_id": {"type": ["string", "null"]},
            "author": {"$ref": "#/components/schemas/Author"},
            "created_at": {"type": "string", "format": "date-time"},
            "updated_at": {"type": "string", "format": "date-time"},
            "web_url": {"type": "string"}, "deep_link": {"type": "string"}}},
        "Progress": {"type": "object", "properties": {
            "id": {"type": "string"}, "chapter_id": {"type": "string"}, "story_id": {"type": ["string", "null"]},
            "progress_percent": {"type": "integer", "minimum": 0, "maximum": 100},
            "created_at": {"type": "string", "format": "date-time"},
            "updated_at": {"type": "string", "format": "date-time"}, "deep_link": {"type": "string"}}},
        "Stories": {"type": "object", "required": ["data", "next_cursor"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Story"}},
            "next_cursor": {"type": ["string", "null"]}}},
        "Chapters": {"type": "object", "required": ["data", "next_cursor"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Chapter"}},
            "next_cursor": {"type": ["string", "null"]}}},
        "Whispers": {"type": "object", "required": ["data", "next_cursor"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Whisper"}},
            "next_cursor": {"type": ["string", "null"]}}},
        "ProgressList": {"type": "object", "required": ["data", "next_cursor"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Progress"}},
            "next_cursor": {"type": ["string", "null"]}}},
        "Likes": {"type": "object", "required": ["count", "liked"], "properties": {
            "count": {"type": "integer"}, "liked": {"type": "boolean"}}},
        "Follow": {"type": "object", "required": ["user_id", "following"], "properties": {
            "user_id": {"type": "string"}, "following": {"type": "boolean"}}},
        "Profile": {"type": "object", "required": ["id", "handle", "name", "web_url"], "properties": {
            "id": {"type": "string"}, "handle": {"type": "string"}, "name": {"type": "string"},
            "web_url": {"type": "string"}, "deep_link": {"type": "string"}, "follower_count": {"type": "integer"},
            "following_count": {"type": "integer"}, "story_count": {"type": "integer"},
            "followed": {"type": "boolean"}}},
        "Profiles": {"type": "object", "required": ["data", "next_cursor"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Profile"}},
            "next_cursor": {"type": ["string", "null"]}}},
        "Sync": {"type": "object", "required": ["data", "deleted", "sync_timestamp", "next_cursor", "has_more"],
            "properties": {
                "data": {"type": "array", "items": {"type": "object"}},
                "deleted": {"type": "array", "items": {"type": "object", "required": ["id", "deleted_at"],
                    "properties": {"id": {"type": "string"}, "deleted_at": {"type": "string", "format": "date-time"}}}},
                "sync_timestamp": {"type": "string", "format": "date-time"}, "next_cursor": {"type": "string"},
                "has_more": {"type": "boolean"},
                "reset": {"const": true, "description": "Deletions of before are not known any more."}}},
        "Batch": {"type": "object", "required": ["operations"], "properties": {
            "operations": {"type": "array", "minItems": 1, "maxItems": 100, "items": {"type": "object",
                "required": ["type", "resource"], "properties": {
                    "id": {"type": "string", "minLength": 1, "maxLength": 128,
                        "description": "The client's own: an operation with it is done once."},
                    "type": {"type": "string", "enum": ["create", "update", "delete", "publish"]},
                    "resource": {"type": "string",
                        "enum": ["story", "chapter", "whisper", "progress", "like", "follow"]},
                    "data": {"type": "object"}}}}}},
        "BatchResults": {"type": "object", "required": ["results"], "properties": {
            "results": {"type": "array", "items": {"type": "object", "required": ["status"], "properties": {
                "status": {"type": "string", "enum": ["success", "error"]}, "resource_id": {"type": "string"},
                "status_code": {"type": "integer"}, "error": {"type": "object"}}}}}},
        "Configuration": {"type": "object",
            "required": ["platform", "min_supported_version", "latest_version", "force_update", "features", "settings"],
            "properties": {
                "platform": {"type": "string", "enum": ["ios", "android"]},
                "min_supported_version": {"type": "string"}, "latest_version": {"type": "string"},
                "force_update": {"type": "boolean"}, "features": {"type": "object"},
                "settings": {"type": "object"}}},
        "Links": {"type": "object", "required": ["deep_link", "web_url", "valid"], "properties": {
            "deep_link": {"type": "string"}, "web_url": {"type": ["string", "null"]}, "valid": {"type": "boolean"}}},
        "Device": {"type": "object", "required": ["id", "user_id", "token", "platform", "is_active", "created_at"],
            "properties": {"id": {"type": "string"}, "user_id": {"type": "string"}, "token": {"type": "string"},
                "platform": {"enum": ["ios", "android"]}, "app_version": {"type": "string"},
                "is_active": {"type": "boolean"}, "created_at": {"type": "string", "format": "date-time"}}},
        "Preferences": {"type": "object", "required": ["success", "preferences"], "properties": {
            "success": {"const": true},
            "preferences": {"type": "object", "additionalProperties": {"type": "boolean"}}}},
        "TestNotification": {"type": "object", "required": ["success", "message", "notification_id"], "properties": {
            "success": {"const": true}, "message": {"type": "string"}, "notification_id": {"type": "string"}}},
        "Upload": {"type": "object", "required": ["id", "url", "thumbnail_url", "size", "format"], "properties": {
            "id": {"type": "string"}, "url": {"type": "string"}, "thumbnail_url": {"type": "string"},
            "size": {"type": "integer"}, "format": {"enum": ["jpeg", "png", "mp4", "mov"]},
            "width": {"type": "integer"}, "height": {"type": "integer"}, "duration": {"type": "number"}}},
        "UploadSession": {"type": "object", "required": ["session_id", "chunk_size", "expires_at"], "properties": {
            "session_id": {"type": "string"}, "chunk_size": {"type": "integer"},
            "expires_at": {"type": "string", "format": "date-time"}}},
        "UploadProgress": {"type": "object", "required": ["chunk_number", "status", "progress"], "properties": {
            "chunk_number": {"type": "integer"}, "status": {"const": "received"}, "progress": {"type": "number"}}}
        }
        """
}
