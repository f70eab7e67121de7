/// What an operator sets for the MueJam applications.
package struct MueJamOptions: Sendable {
    /// The beginning of addresses on the web, without a slash at the end; nil for the server's own.
    let webURL: String?
    /// `TEAM.bundle`, each.
    let iOSApps: [String]
    let androidApps: [AndroidApp]
    let configuration: MobileConfigurationFile
    /// Whether everybody may use the routes for tests.
    let isForDevelopers: Bool

    package struct AndroidApp: Sendable {
        let package: String
        /// Of its certificate: SHA-256 in hexadecimal, as `AA:BB:…`.
        let fingerprint: String

        package init(package: String, fingerprint: String) {
            self.package = package
            self.fingerprint = fingerprint
        }
    }

    package init(
        webURL: String? = nil, iOSApps: [String] = [], androidApps: [AndroidApp] = [],
        configuration: MobileConfigurationFile = MobileConfigurationFile(nil), isForDevelopers: Bool = false
    ) {
        self.webURL = webURL
        self.iOSApps = iOSApps
        self.androidApps = androidApps
        self.configuration = configuration
        self.isForDevelopers = isForDevelopers
    }
}
