import Accounts
import Identity
import Store
import Transport
import Wire

/// The interface of the Subspace applications: people, and messages to them. See docs/apps/subspace.md.
enum Subspace: Application {
    static let prefix = "/subspace"
    static let title = "Subspace"
    static let text = "People, and messages to them."
    static var schemas: String { SubspaceSchemas.json }
    static let account = AccountApp.subspace
    static let requestsPerMinuteMax = 100
    static let openRequestsPerMinuteMax = 100

    static var routes: [SubspaceRoute] {
        SubspaceSignIn.all + SubspacePeople.all + SubspaceMessages.all
            + SubspaceRoute.devices("/subspace/api/v1/devices", version: "appVersion")
    }

    static func encode(_ error: APIError) -> APIReply { .words(of: error, as: "error") }

    static func error(_ fault: AccountFault) -> APIError {
        switch fault {
        case .wrongCredentials: .subspace(401, "invalid credentials")
        case .emailTaken: .subspace(400, "email already exists")
        case .store(.notFound(let kind)): .subspace(404, "\(kind) not found")
        case .token(let error) where error.kind == .expired: .subspace(401, "token has expired")
        case .token(let error) where !error.isTemporary: .subspace(401, "invalid token")
        default: APIError(fault)
        }
    }

    static var tokenMissing: APIError { .subspace(401, "missing authorization token") }
}

typealias SubspaceRoute = AppRoute<Subspace>
typealias SubspaceRequest = AppRequest<Subspace>
typealias SubspaceContext = AppContext<Subspace>

extension APIError {
    /// A failure in the words of the guide.
    static func subspace(_ status: Int, _ words: String) -> APIError {
        var error = APIError(status, "SUBSPACE", words)
        if status == 401 { error.headers = [("WWW-Authenticate", "Bearer")] }
        return error
    }

    static let notAdmin = APIError.subspace(403, "only an administrator may do this")
}
