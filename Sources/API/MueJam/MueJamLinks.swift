import Store

/// Links to things of the library: for applications, and on the web.
struct MueJamLinks {
    /// Whether the client is a phone, which opens links for applications.
    let isPhone: Bool
    /// The beginning of addresses on the web.
    let webURL: String

    init(_ request: MueJamRequest, _ context: MueJamContext) {
        isPhone = request.clientKind.isPhone
        webURL = context.options.muejam.webURL ?? request.serverURL
    }

    static func deep(_ kind: String, _ id: String) -> String { "muejam://\(kind)/\(id)" }

    func web(_ kind: String, _ name: String) -> String { "\(webURL)/\(kind)/\(name)" }
}

extension LibraryItem {
    /// Progress leads to what was read.
    var deepLink: String {
        kind == .progress ? MueJamLinks.deep("chapter", chapter ?? "") : MueJamLinks.deep(kind.rawValue, id)
    }

    /// Nil for progress, which only its person sees.
    func webURL(_ links: MueJamLinks) -> String? {
        kind == .progress ? nil : links.web(kind.rawValue, slug ?? id)
    }
}
