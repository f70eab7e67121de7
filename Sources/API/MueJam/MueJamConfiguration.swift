import Store
import Wire

/// What applications ask for before they start, and what their developers try.
enum MueJamConfiguration {
    static let all: [MueJamRoute] = [
        MueJamRoute(
            .get, "/muejam/v1/config/mobile", "Which versions are served, and what is on.", access: .everybody,
            query: [
                Field("platform", .choice(["ios", "android"]), required: true),
                Field("app_version", .text(1...64), "The version that asks, like 1.2.0."),
            ], answer: .bare("Configuration"), configuration),
        MueJamRoute(
            .get, "/muejam/v1/test/deep-link", "The links to something. For administrators and developers.",
            query: [
                Field("type", .choice(["story", "chapter", "whisper", "profile"]), required: true),
                Field("id", .id, required: true),
            ], answer: .bare("Links"), links),
    ]

    @Sendable private static func configuration(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let platform = request.query.text("platform") ?? "ios"
        let found = context.options.muejam.configuration.configuration(of: platform)
        var isTooOld = false
        if let text = request.query.text("app_version") {
            guard let version = AppVersion(text) else { throw .invalid("app_version", "must be like 1.2.0.") }
            isTooOld = AppVersion(found.leastVersion).map { version < $0 } ?? false
        }
        return .bare { [isTooOld] json in
            json.beginObject()
            json.member("platform", platform)
            json.member("min_supported_version", found.leastVersion)
            json.member("latest_version", found.latestVersion)
            json.member("force_update", isTooOld)
            json.member("features", raw: found.features.span)
            json.member("settings", raw: found.settings.span)
            json.endObject()
        }
    }

    /// Throws for a person who may not use the routes for tests.
    static func checkTester(_ request: MueJamRequest, _ context: MueJamContext) throws(APIError) {
        guard try request.person().role == .admin || context.options.muejam.isForDevelopers else {
            throw .forbidden("Only an administrator may do this.")
        }
    }

    @Sendable private static func links(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        try checkTester(request, context)
        let (type, id) = (request.query.text("type") ?? "", request.query.text("id") ?? "")
        let links = MueJamLinks(request, context)
        var web: String?
        if let kind = LibraryItem.Kind(rawValue: type) {
            let person = try request.person().id
            web = try await context.ask { $0.libraryItem(kind, id, for: person, then: $1) }?.webURL(links)
        } else {
            web = try await context.ask { $0.author(id, then: $1) }.map { links.web("profile", $0.handle) }
        }
        return .bare { [web] json in
            json.beginObject()
            json.member("deep_link", MueJamLinks.deep(type, id))
            json.key("web_url")
            if let web { json.string(web) } else { json.null() }
            json.member("valid", web != nil)
            json.endObject()
        }
    }
}
