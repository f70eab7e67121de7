import Accounts
import Rooms
import Wire

extension APIError {
    init(_ fault: AccountFault) {
        switch fault {
        case .wrongCredentials:
            self = .unauthorized("WRONG_CREDENTIALS", "The e-mail address or the password is wrong.")
        case .emailTaken: self = APIError.conflict("This e-mail address belongs to an account already.").at("email")
        case .wrongCode:
            self = .unauthorized("WRONG_CODE", "The code is wrong, or cannot be used any more.")
        case .wrongChallenge:
            self = APIError(
                422, .validation, "The answer is to no challenge of this server, was used before, or came too late."
            ).at("clientDataJSON")
        case .wrongOrigin(let origin):
            self = APIError(
                422, .validation,
                "The passkeys of this server cannot be used at \(origin.prefix(200)): see passkey-origins."
            ).at("clientDataJSON")
        case .wrongPasskey:
            self = .unauthorized("WRONG_PASSKEY", "The passkey is unknown, or its answer cannot be used.")
        case .badPasskey:
            self = APIError(422, .validation, "This is not a passkey of this server whose user was verified.").at(
                "attestationObject")
        case .passkeyTaken: self = .conflict("This passkey belongs to an account already.")
        case .sessionTooOld:
            self = APIError(
                403, .forbidden, "Sign in again: without a password this needs a sign-in within ten minutes.")
        case .unreachable:
            self = APIError(422, .validation, "No code can be sent to this telephone number.").at("phone")
        case .notSent, .noCodes: self = .unavailable("The code could not be sent; try again in a moment.")
        case .providerIsOff: self = APIError(422, .validation, "Users of this provider cannot sign in here.")
        case .noMail: self = APIError(422, .validation, "This server sends no mail.")
        case .noPassword: self = APIError(422, .validation, "The account has no password.").at("password")
        case .addressNeedsCode:
            self = APIError(422, .validation, "The address is changed with a code: POST /api/auth/email-codes.").at(
                "email")
        case .codesUsedUp(let seconds):
            self.init(
                429, .rateLimited, "The server has sent all codes that it sends in an hour; wait before the next.")
            headers = [("Retry-After", "\(seconds)")]
        case .tooManyAttempts(let seconds):
            self = .tooMany("Too many attempts; wait before the next.", seconds)
        case .busy: self = .unavailable("Too many sign-ins at the moment; try again in a moment.")
        case .token(let error): self.init(error)
        case .store(let error): self.init(error)
        }
    }
}

extension APIError {
    private static func tooMany(_ message: String, _ waitSeconds: Int) -> APIError {
        var error = APIError(429, .rateLimited, message)
        error.headers = [("Retry-After", "\(waitSeconds)")]
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            json.member("retryAfter", waitSeconds)
            json.endObject()
        }
        return error
    }
}

/// Calls a service of accounts, with its faults in the form for clients.
func asked<Value>(_ call: () async throws(AccountFault) -> Value) async throws(APIError) -> Value {
    do throws(AccountFault) {
        return try await call()
    } catch {
        throw APIError(error)
    }
}
