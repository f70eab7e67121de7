/// The contents of answers, as JSON Schema.
enum Schemas {
    static let json = """
        {
        "Failure": {"type": "object", "required": ["error", "code"], "properties": {
            "error": {"type": "string", "description": "A sentence for users."},
            "code": {"type": "string", "description": "The kind of the failure, for programs."},
            "details": {"type": "object", "properties": {
                "field": {"type": "string"}, "reason": {"type": "string"}, "retryAfter": {"type": "number"},
                "element": {"$ref": "#/components/schemas/Element"}}}}},
        "User": {"type": "object",
            "required": ["id", "auth0Id", "email", "username", "firstName", "dateOfBirth", "createdAt"],
            "properties": {
                "id": {"type": "string"}, "auth0Id": {"type": "string"},
                "email": {"type": "string", "description": "Empty unless the sender shares a room with the user."},
                "username": {"type": "string"}, "firstName": {"type": "string"},
                "dateOfBirth": {"type": "string", "format": "date-time"}, "avatarUrl": {"type": "string"},
                "createdAt": {"type": "string", "format": "date-time"}}},
        "Verification": {"type": "object", "required": ["profileComplete"], "properties": {
            "profileComplete": {"type": "boolean"}, "user": {"$ref": "#/components/schemas/User"}}},
        "Room": {"type": "object",
            "required": ["id", "createdBy", "createdAt", "updatedAt", "isActive", "elementCount", "participants"],
            "properties": {
                "id": {"type": "string"}, "name": {"type": "string"}, "createdBy": {"type": "string"},
                "creator": {"$ref": "#/components/schemas/User"},
                "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"}, "isActive": {"type": "boolean"},
                "elementCount": {"type": "integer"},
                "participants": {"type": "array", "items": {"$ref": "#/components/schemas/Participant"}}}},
        "Participant": {"type": "object", "required": ["roomId", "userId", "user", "joinedAt", "color", "isActive"],
            "properties": {
                "roomId": {"type": "string"}, "userId": {"type": "string"},
                "user": {"$ref": "#/components/schemas/User"},
                "joinedAt": {"type": "string", "format": "date-time"},
                "leftAt": {"type": "string", "format": "date-time"}, "color": {"type": "string"},
                "isActive": {"type": "boolean"}}},
        "Invitation": {"type": "object",
            "required": ["id", "roomId", "createdBy", "createdAt", "expiresAt", "maxUses", "uses"],
            "properties": {
                "id": {"type": "string"}, "roomId": {"type": "string"}, "createdBy": {"type": "string"},
                "createdAt": {"type": "string", "format": "date-time"},
                "expiresAt": {"type": "string", "format": "date-time"}, "maxUses": {"type": "integer"},
                "uses": {"type": "integer"}}},
        "NewInvitation": {"allOf": [{"$ref": "#/components/schemas/Invitation"}, {"type": "object",
            "required": ["token"], "properties": {"token": {"type": "string"}}}]},
        "Recording": {"type": "object",
            "required": ["id", "roomId", "startedAt", "isRunning", "bytes", "duration", "url"], "properties": {
                "id": {"type": "string"}, "roomId": {"type": "string"},
                "startedAt": {"type": "string", "format": "date-time"},
                "startedBy": {"type": "string", "description": "Missing when the server records by itself."},
                "isRunning": {"type": "boolean"}, "endedAt": {"type": "string", "format": "date-time"},
                "reason": {"type": "string", "description": "Why it has ended.",
                    "enum": ["stopped", "empty", "closed", "size", "storage", "interrupted"]},
                "bytes": {"type": "integer"},
                "duration": {"type": "number", "description": "Seconds."}, "url": {"type": "string"}}},
        "RoomSummary": {"type": "object",
            "required": ["id", "createdAt", "updatedAt", "isActive", "elementCount"],
            "properties": {
                "id": {"type": "string"}, "name": {"type": "string"}, "createdBy": {"type": "string"},
                "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"}, "isActive": {"type": "boolean"},
                "elementCount": {"type": "integer"}}},
        "PersonWithRooms": {"type": "object", "required": ["id", "username", "firstName", "email", "rooms"],
            "properties": {
                "id": {"type": "string"}, "username": {"type": "string"}, "firstName": {"type": "string"},
                "email": {"type": "string"}, "avatarUrl": {"type": "string"},
                "rooms": {"type": "array", "items": {"$ref": "#/components/schemas/RoomSummary"}}}},
        "Element": {"type": "object",
            "required": ["id", "roomId", "type", "createdBy", "positionX", "positionY", "width", "height",
                "createdAt", "version"],
            "properties": {
                "id": {"type": "string"}, "roomId": {"type": "string"},
                "type": {"type": "string", "enum": ["note", "photo", "audio"]}, "createdBy": {"type": "string"},
                "positionX": {"type": "number"}, "positionY": {"type": "number"}, "width": {"type": "number"},
                "height": {"type": "number"}, "content": {"type": "string"}, "imageUrl": {"type": "string"},
                "audioUrl": {"type": "string"}, "duration": {"type": "number"}, "z": {"type": "number"},
                "color": {"type": "string"},
                "createdAt": {"type": "string", "format": "date-time"}, "version": {"type": "integer"},
                "updatedAt": {"type": "string", "format": "date-time"}, "updatedBy": {"type": "string"}}},
        "NewElement": {"type": "object",
            "required": ["type", "positionX", "positionY", "width", "height"], "properties": {
                "type": {"type": "string", "enum": ["note", "photo", "audio"]}, "positionX": {"type": "number"},
                "positionY": {"type": "number"}, "width": {"type": "number", "minimum": 0},
                "height": {"type": "number", "minimum": 0},
                "content": {"type": ["string", "null"], "maxLength": 5000},
                "imageUrl": {"type": ["string", "null"], "format": "uri", "maxLength": 2048},
                "audioUrl": {"type": ["string", "null"], "format": "uri", "maxLength": 2048},
                "duration": {"type": ["number", "null"], "minimum": 0}, "z": {"type": ["number", "null"]},
                "color": {"type": ["string", "null"], "pattern": "^#[0-9A-Fa-f]{6}$"},
                "clientId": {"type": ["string", "null"], "minLength": 1, "maxLength": 128,
                    "description": "The client's own id for the element, so that a resend creates nothing twice."}}},
        "ElementUpdate": {"type": "object", "minProperties": 1,
            "description": "A missing field keeps its value; null removes the value.", "properties": {
                "positionX": {"type": "number"}, "positionY": {"type": "number"},
                "width": {"type": "number", "minimum": 0}, "height": {"type": "number", "minimum": 0},
                "content": {"type": ["string", "null"], "maxLength": 5000},
                "imageUrl": {"type": ["string", "null"], "format": "uri", "maxLength": 2048},
                "audioUrl": {"type": ["string", "null"], "format": "uri", "maxLength": 2048},
                "duration": {"type": ["number", "null"], "minimum": 0}, "z": {"type": ["number", "null"]},
                "color": {"type": ["string", "null"], "pattern": "^#[0-9A-Fa-f]{6}$"},
                "version": {"type": ["integer", "null"], "minimum": 1,
                    "description": "The change applies only if this is still the element's version."},
                "baseVersion": {"type": ["integer", "null"], "minimum": 1,
                    "description": "The version whose content was changed: content is merged with what others wrote since."}}},
        "ElementChanges": {"type": "object", "required": ["data", "deleted", "version", "isReset"], "properties": {
            "data": {"type": "array", "items": {"$ref": "#/components/schemas/Element"}},
            "deleted": {"type": "array", "items": {"type": "object", "required": ["id", "version", "deletedAt"],
                "properties": {"id": {"type": "string"}, "version": {"type": "integer"},
                    "deletedAt": {"type": "string", "format": "date-time"}}}},
            "version": {"type": "integer", "description": "The value of sinceVersion for the next request."},
            "isReset": {"type": "boolean", "description": "True if the list has all elements and replaces what the client has."},
            "nextCursor": {"type": "string"}}},
        "UploadedAvatar": {"type": "object", "required": ["avatarUrl"], "properties": {
            "avatarUrl": {"type": "string", "format": "uri"}}},
        "UploadedPhoto": {"type": "object", "required": ["imageUrl", "width", "height"], "properties": {
            "imageUrl": {"type": "string", "format": "uri"},
            "width": {"type": "integer"}, "height": {"type": "integer"}}},
        "UploadedAudio": {"type": "object", "required": ["audioUrl", "duration"], "properties": {
            "audioUrl": {"type": "string", "format": "uri"},
            "duration": {"type": "number", "description": "Seconds, as the file says."}}},
        "SignIn": {"type": "object", "required": ["accessToken", "expiresIn", "user"], "properties": {
            "accessToken": {"type": "string"},
            "expiresIn": {"type": "integer", "description": "Seconds until the access token ends."},
            "refreshToken": {"type": "string"},
            "user": {"$ref": "#/components/schemas/AccountHolder"}}},
        "AccountHolder": {"type": "object",
            "required": ["id", "name", "email", "emailVerified", "createdAt", "updatedAt"], "properties": {
                "id": {"type": "string"}, "name": {"type": "string"}, "email": {"type": "string"},
                "emailVerified": {"type": "boolean", "description": "Whether the user has shown that the address is the user's own."},
                "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"}}},
        "CodeSent": {"type": "object", "properties": {
            "previewCode": {"type": "string", "description": "The code itself, on a server for developers."}}},
        \(ExportSchema.json),
        \(CredentialSchemas.json),
        "Session": {"type": "object", "required": ["id", "app", "agent", "createdAt", "seenAt", "isCurrent"],
            "properties": {
                "id": {"type": "string"}, "app": {"type": "string"}, "agent": {"type": "string"},
                "createdAt": {"type": "string", "format": "date-time"},
                "seenAt": {"type": "string", "format": "date-time"}, "isCurrent": {"type": "boolean"}}},
        "Success": {"type": "object", "required": ["success"], "properties": {"success": {"type": "boolean"}}},
        "Preferences": {"type": "object", "required": ["types", "mutedRooms"], "properties": {
            "types": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "mutedRooms": {"type": "array", "items": {"type": "string"}}}}
        }
        """
}
