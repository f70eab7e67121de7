import API
import Accounts
import Configuration
import Identity
import Logging
import Recorder
import Store
import Transport

/// The groups of routes of a server.
extension ServerConfiguration {
    /// - Parameters:
    ///   - accounts: the accounts of this server; nil where it has none.
    ///   - media: nil for no uploads.
    func api(
        _ store: any ServerStore, _ verifier: any TokenVerifier, _ accounts: Accounts?, _ media: MediaService?,
        _ recordings: RecordingLibrary?
    ) -> API {
        API(
            store: store, verifier: verifier, origins: originPolicy, isOpen: auth == .open, version: Version.current,
            limits: api, media: media, recordings: service(of: recordings, beside: media), publicURL: publicURL,
            accounts: auth == .accounts ? accounts : nil)
    }

    /// The interfaces of the applications, and where each is.
    func apps(
        _ accounts: Accounts, _ media: MediaService?, _ logger: Logger
    ) throws(TransportError) -> [PlacedApp] {
        let options = AppOptions(
            accounts, origins: originPolicy, version: Version.current, isLimited: rateLimits,
            phonePercent: phoneRequestsPercent, publicURL: publicURL,
            muejam: try muejam(logger), media: media, pushPlatforms: pushPlatforms)
        let interfaces: [(AppChoice, any AppInterface)] = [
            (.subspace, options.subspace), (.interspace, options.interspace), (.interspace, options.channels),
            (.soul, options.soul), (.muejam, options.mueJam),
            (.muejam, options.appLinks),
        ]
        return interfaces.filter { serves($0.0) }.map { PlacedApp(interface: $0.1, sites: sites(of: $0.0)) }
    }

    /// The sites of an application; nil stands for a path of the server's own.
    private func sites(of app: AppChoice) -> [Site?] {
        var sites: [Site?] = []
        // The listeners of applications follow the server's own.
        var listener = listen.count
        for mount in apps {
            let isOfApp = mount.app == app || mount.app == .all
            switch mount.place {
            case .path: if isOfApp { sites.append(nil) }
            case .host(let name): if isOfApp { sites.append(.host(.name(name))) }
            case .listener:
                if isOfApp { sites.append(.listener(listener)) }
                listener += 1
            }
        }
        return sites
    }

    private func muejam(_ logger: Logger) throws(TransportError) -> MueJamOptions {
        let path = muejamConfig
        let file = MobileConfigurationFile(path) { sentence in
            logger.error("the configuration of applications is not used", ["path": path ?? "", "reason": sentence])
        }
        do throws(MobileConfigurationFault) {
            try file.check()
        } catch {
            throw TransportError(description: "\(path ?? ""): \(error.sentence)")
        }
        let android = muejamAndroidApps.compactMap { text -> MueJamOptions.AndroidApp? in
            let parts = text.split(separator: "=")
            return parts.count == 2 ? .init(package: String(parts[0]), fingerprint: String(parts[1])) : nil
        }
        return MueJamOptions(
            webURL: muejamWebURL ?? publicURL, iOSApps: muejamIOSApps, androidApps: android, configuration: file,
            isForDevelopers: developerCodes)
    }
}

/// The interface of an application, and its sites; nil stands for a path of the server's own.
struct PlacedApp: Sendable {
    let interface: any AppInterface
    let sites: [Site?]
}
