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
        case .wallet(let fault): self.init(fault)
        case .wrongWallet: self = .unauthorized("WRONG_WALLET", "Nobody signs in with this wallet.")
        case .chainFails: self = .unavailable("The chain cannot be asked about the wallet; try again in a moment.")
        case .walletTaken: self = .conflict("This wallet belongs to an account already.")
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
    private init(_ fault: WalletFault) {
        let (field, sentence) =
            switch fault {
            case .form(let what): ("message", "The message is none of EIP-4361: it must have \(what).")
            case .checksum(nil): ("message", "The second line of the message must be the wallet's address.")
            case .checksum(let right?):
                ("message", "The message must have the address in the form of EIP-55: \(right).")
            case .domain(let domain):
                (
                    "message",
                    "No wallet signs at \(domain.prefix(200)): domain and URI must be this server's (passkey-origins)."
                )
            case .version: ("message", "The version of the message must be 1.")
            case .chain(let right): ("message", "The Chain ID of the message must be \(right).")
            case .time: ("message", "The message was not made just now, or its time has ended or not begun.")
            case .nonce:
                ("message", "The nonce is none of this server for that, was used before, or came too late.")
            case .noSignature:
                ("signature", "signature must be 65 bytes in hexadecimal digits, as a wallet makes them.")
            case .highS: ("signature", "signature must have the lower one of its two values of s.")
            case .notDeployed:
                (
                    "signature",
                    "The wallet is a contract that does not exist yet (EIP-6492); it can sign once it was deployed."
                )
            case .signer: ("signature", "The address of the message has not signed it.")
            case .address: ("address", "address must be that of the message.")
            }
        self = APIError(422, .validation, sentence).at(field)
    }

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
