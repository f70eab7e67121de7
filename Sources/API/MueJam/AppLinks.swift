import Relay
import Transport
import Wire

/// `/.well-known/apple-app-site-association` and `/.well-known/assetlinks.json`: the systems of phones read there whose links
/// an application may open.
struct AppLinks: AppInterface {
    private static let kinds = ["story", "chapter", "whisper", "profile"]
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"

    private let files: [String: [UInt8]]

    init(_ options: MueJamOptions) {
        var files: [String: [UInt8]] = [:]
        if !options.iOSApps.isEmpty { files[Self.apple] = Self.association(options.iOSApps) }
        if !options.androidApps.isEmpty { files[Self.android] = Self.assetLinks(options.androidApps) }
        self.files = files
    }

    var prefix: String { MueJam.prefix }
    /// Phones ask at the root, also at that of a site of the application.
    var mount: Mount { Mount(paths: files.keys + files.keys.map { prefix + $0 }) }
    var meters: [any Meters] { [] }

    func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService { Service(files: files) }

    private final class Service: HTTPService {
        private let files: [String: [UInt8]]

        init(files: [String: [UInt8]]) {
            self.files = files
        }

        func handle(_ exchange: HTTPExchange) {
            guard exchange.head.method == .get || exchange.head.method == .head else {
                return exchange.respond(405, [("Allow", "GET, HEAD")], text: "Method not allowed\n")
            }
            guard let file = files[exchange.head.path] else { return exchange.respond(404, text: "Not found\n") }
            exchange.respond(
                200, [("Content-Type", "application/json"), ("Cache-Control", "max-age=3600")], body: file)
        }
    }

    private static func association(_ apps: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.key("applinks")
            json.beginObject()
            json.key("details")
            json.beginArray()
            json.beginObject()
            json.texts("appIDs", apps)
            json.key("components")
            json.beginArray()
            for kind in kinds {
                json.beginObject()
                json.member("/", "/\(kind)/*")
                json.endObject()
            }
            json.endArray()
            json.endObject()
            json.endArray()
            json.endObject()
            json.key("webcredentials")
            json.beginObject()
            json.texts("apps", apps)
            json.endObject()
            json.endObject()
        }
        return bytes
    }

    private static func assetLinks(_ apps: [MueJamOptions.AndroidApp]) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginArray()
            for app in apps {
                json.beginObject()
                json.texts("relation", ["delegate_permission/common.handle_all_urls"])
                json.key("target")
                json.beginObject()
                json.member("namespace", "android_app")
                json.member("package_name", app.package)
                json.texts("sha256_cert_fingerprints", [app.fingerprint])
                json.endObject()
                json.endObject()
            }
            json.endArray()
        }
        return bytes
    }
}
