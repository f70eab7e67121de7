import Accounts
import Identity
import Rooms
import Store
import Transport
import Wire

/// The interface of the Interspace applications: people, their profiles, and what is connected to those. See
/// docs/apps/interspace.md.
enum Interspace: Application {
    static let prefix = "/interspace"
    static let title = "Interspace"
    static let text = "People, their profiles, and what is connected to those."
    static var schemas: String { InterspaceSchemas.json }
    static let account = AccountApp.interspace
    static let requestsPerMinuteMax = 100
    static let openRequestsPerMinuteMax = 20
    static let isConditional = true

    static var routes: [InterspaceRoute] {
        InterspaceSignIn.all + InterspacePasskeys.all
            + InterspaceWallets.all + InterspaceProfiles.all + InterspaceConnections.all
            + InterspaceBatch.all + InterspaceRoute.devices("/interspace/api/v1/devices", version: "appVersion")
    }

    /// The guide of the applications has six codes, each with one status.
    static func encode(_ error: APIError) -> APIReply {
        let (status, code): (Int, RoomError.Code) =
            switch error.status {
            case 401: (401, .unauthorized)
            case 403: (403, .forbidden)
            case 404: (404, .notFound)
            case 429: (429, .rateLimited)
            case 500...: (error.status, .server)
            case 409, 422: (400, .validation)
            default: (error.status, .validation)
            }
        var reply = APIReply(status: status, headers: error.headers)
        JSONWriter.write(into: &reply.body) { json in
            json.beginObject()
            json.key("error")
            json.beginObject()
            json.member("code", code.rawValue)
            json.member("message", error.message)
            let details = error.details.isEmpty ? Array("{}".utf8) : error.details
            json.member("details", raw: details.span)
            json.endObject()
            json.endObject()
        }
        return reply
    }

    static func error(_ fault: AccountFault) -> APIError { APIError(fault) }

    static var tokenMissing: APIError { .unauthorized("TOKEN_MISSING", "A bearer token is needed.") }
}

typealias InterspaceRoute = AppRoute<Interspace>
typealias InterspaceRequest = AppRequest<Interspace>
typealias InterspaceContext = AppContext<Interspace>
