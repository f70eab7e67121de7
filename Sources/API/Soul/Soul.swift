import Accounts
import Identity
import Store
import Transport
import Wire

/// The interface of the SOUL applications: signing in with a telephone number, and moods. See docs/apps/soul.md.
enum Soul: Application {
    static let prefix = "/soul"
    static let title = "SOUL"
    static let text = "Signing in with a telephone number, and moods."
    static var schemas: String { SoulSchemas.json }
    static let account = AccountApp.soul
    static let requestsPerMinuteMax = 120
    static let openRequestsPerMinuteMax = 60

    static var routes: [SoulRoute] {
        SoulSignIn.all + SoulMoods.all + SoulRoute.devices("/soul/api/devices", version: "app_version")
    }

    static func encode(_ error: APIError) -> APIReply { .words(of: error, as: "detail") }

    static func error(_ fault: AccountFault) -> APIError {
        switch fault {
        case .wrongCode: .soul(400, "Invalid OTP")
        case .unreachable: .soul(400, "Invalid phone number")
        case .notSent, .noCodes: .soul(500, "Failed to send verification code")
        case .token(let error) where error.kind == .expired: .soul(401, "Token has expired")
        case .token(let error) where !error.isTemporary: .soul(401, "Invalid token")
        default: APIError(fault)
        }
    }

    static var tokenMissing: APIError { .soul(401, "Not authenticated") }
}

typealias SoulRoute = AppRoute<Soul>
typealias SoulRequest = AppRequest<Soul>
typealias SoulContext = AppContext<Soul>

extension APIError {
    /// A failure in the words of the guide.
    static func soul(_ status: Int, _ words: String) -> APIError {
        var error = APIError(status, "SOUL", words)
        if status == 401 { error.headers = [("WWW-Authenticate", "Bearer")] }
        return error
    }
}
