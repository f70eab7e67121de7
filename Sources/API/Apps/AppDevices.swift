import Accounts
import Store
import Wire

/// The phones on which the sender has an application, for notifications. The guides of the applications have no such calls, but
/// for MueJam.
extension Route {
    /// - Parameter version: the field with the version of the application.
    static func devices<App>(_ pattern: PathPattern, version: String) -> [Route] where Group == AppGroup<App> {
        [
            Route(
                .put, pattern, "Assigns a phone to the sender, when the application was opened on it.",
                body: .fields([Field.deviceToken, Field.devicePlatform, Field(version, .text(1...64))]), answer: nil,
                status: 204
            ) { (request, context) async throws(APIError) in
                let new = NewDevice(
                    token: request.deviceToken, platform: request.devicePlatform, account: try request.person().id,
                    app: App.account.name, appVersion: request.body.text(version), newName: PhoneID.new(),
                    session: request.sender?.session.id)
                _ = try await context.ask { $0.registerDevice(new, at: request.now, then: $1) }
                return .noContent
            },
            Route(
                .delete, pattern, "Sends no more notifications to a phone of the sender.",
                body: .fields([Field.deviceToken]), answer: nil, status: 204
            ) { (request, context) async throws(APIError) in
                let (person, token) = (try request.person().id, request.deviceToken)
                _ = try await context.ask { $0.unregisterDevice(token, of: person, app: App.account.name, then: $1) }
                return .noContent
            },
        ]
    }
}

extension Field {
    static let deviceToken = Field("token", .text(1...4_096), required: true, "By which APNs or FCM knows the device.")
    static let devicePlatform = Field("platform", .choice(["ios", "android"]), required: true)
}

extension Request {
    var deviceToken: String { body.text("token") ?? "" }
    var devicePlatform: DevicePlatform { body.text("platform") == "ios" ? .ios : .android }
}
