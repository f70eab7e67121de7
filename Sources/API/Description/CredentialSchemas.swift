/// Passkeys and wallets in answers, as JSON Schema. They are the same over REST and in Interspace.
enum CredentialSchemas {
    static let json = """
        "PasskeyChallenge": {"type": "object", "required": ["challenge", "domain", "known"], "properties": {
            "challenge": {"type": "string", "description": "The bytes to sign, in base64url."},
            "domain": {"type": "string", "description": "The domain (RP ID) of the passkeys."},
            "userId": {"type": "string", "description": "The user of a new passkey: the bytes of this text are its handle."},
            "known": {"type": "array", "items": {"type": "string"}, "description": "The passkeys that the user has."}}},
        "Passkey": {"type": "object", "required": ["id", "name", "createdAt", "usedAt"], "properties": {
            "id": {"type": "string"}, "name": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "usedAt": {"type": "string", "format": "date-time"}}},
        "WalletChallenge": {"type": "object", "required": ["message", "nonce", "chainId", "expiresAt"], "properties": {
            "message": {"type": "string", "description": "What the wallet signs, in the form of EIP-4361."},
            "nonce": {"type": "string", "description": "For a client that writes a message of its own."},
            "chainId": {"type": "integer"}, "expiresAt": {"type": "string", "format": "date-time"}}},
        "Wallet": {"type": "object",
            "required": ["id", "address", "type", "isPrimary", "balance", "chain", "signsIn", "connectedAt"],
            "properties": {
                "id": {"type": "string"}, "address": {"type": "string"}, "type": {"type": "string"},
                "isPrimary": {"type": "boolean"},
                "balance": {"type": ["object", "null"], "additionalProperties": {"type": "string"},
                    "description": "Exact decimal numbers; null while the chain has not said them."},
                "chain": {"type": "string"}, "signsIn": {"type": "boolean"},
                "connectedAt": {"type": "string", "format": "date-time"}}}
        """
}
