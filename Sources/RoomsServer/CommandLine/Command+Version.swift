import COpenSSL

extension Command {
    static let version = Command(
        name: "version", usage: "version", summary: "Print the version.",
        page: { "Usage: rooms version\n\nPrints the version of rooms and of the OpenSSL that it runs with.\n" }
    ) { context in
        guard context.arguments.isEmpty else {
            return context.refuse("version takes no arguments.", help: "rooms help version")
        }
        let library = OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "OpenSSL"
        context.standardOutput("rooms \(Version.current) (\(library))\n")
        return .ok
    }
}
