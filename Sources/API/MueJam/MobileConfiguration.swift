import FoundationEssentials
import Threads
import Wire

/// What the applications of one platform are told before they start: which versions are served, and what is on.
struct MobileConfiguration: Sendable, Equatable {
    let leastVersion: String
    let latestVersion: String
    /// JSON objects.
    let features: [UInt8]
    let settings: [UInt8]

    static let usual = MobileConfiguration(
        leastVersion: "1.0.0", latestVersion: "1.2.0",
        features: Array(
            #"{"push_notifications":true,"offline_mode":true,"video_upload":true,"dark_mode":true}"#.utf8),
        settings: Array(
            #"{"max_upload_size_mb":50,"chunk_size_mb":5,"cache_ttl_hours":24,"sync_interval_minutes":15}"#.utf8))

    private init(leastVersion: String, latestVersion: String, features: [UInt8], settings: [UInt8]) {
        self.leastVersion = leastVersion
        self.latestVersion = latestVersion
        self.features = features
        self.settings = settings
    }

    /// What is missing is as usual.
    init(_ json: JSONReader, platform: String) throws(MobileConfigurationFault) {
        guard json.kind == .object else { throw MobileConfigurationFault(sentence: "\(platform) must be an object.") }
        func version(_ name: String, _ usual: String) throws(MobileConfigurationFault) -> String {
            guard let value = json[name] else { return usual }
            guard let text = value.string, AppVersion(text) != nil else {
                throw MobileConfigurationFault(sentence: "\(platform).\(name) must be a version like 1.2.0.")
            }
            return text
        }
        func object(_ name: String, _ usual: [UInt8]) throws(MobileConfigurationFault) -> [UInt8] {
            guard let value = json[name] else { return usual }
            guard value.kind == .object else {
                throw MobileConfigurationFault(sentence: "\(platform).\(name) must be an object.")
            }
            return value.json
        }
        leastVersion = try version("min_supported_version", Self.usual.leastVersion)
        latestVersion = try version("latest_version", Self.usual.latestVersion)
        features = try object("features", Self.usual.features)
        settings = try object("settings", Self.usual.settings)
    }
}

package struct MobileConfigurationFault: Error, Sendable, Equatable {
    package let sentence: String
}

/// The file with the configuration of each platform. It is read again when it has changed. While it is wrong, what it said
/// before holds.
package final class MobileConfigurationFile: Sendable {
    private static let bytesMax = 256 << 10

    private struct State {
        var stamp: Stamp?
        var platforms: [String: MobileConfiguration] = [:]
    }

    /// Tells whether the file has changed.
    private struct Stamp: Equatable {
        let modified: Date?
        let size: UInt64?
    }

    private let path: String?
    private let report: @Sendable (String) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: nil for what is usual.
    ///   - report: called with a sentence when the file is wrong.
    package init(_ path: String?, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.path = path
        self.report = report
    }

    /// Throws when the file is wrong.
    package func check() throws(MobileConfigurationFault) {
        if let path { _ = try Self.read(path) }
    }

    func configuration(of platform: String) -> MobileConfiguration {
        guard let path else { return .usual }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let stamp = Stamp(modified: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? UInt64)
        let isNew = state.withLock { state in
            defer { state.stamp = stamp }
            return state.stamp != stamp
        }
        if isNew {
            do throws(MobileConfigurationFault) {
                let platforms = try Self.read(path)
                state.withLock { $0.platforms = platforms }
            } catch {
                report(error.sentence)
            }
        }
        return state.withLock { $0.platforms[platform] } ?? .usual
    }

    static func read(_ path: String) throws(MobileConfigurationFault) -> [String: MobileConfiguration] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= bytesMax else {
            throw MobileConfigurationFault(sentence: "The file cannot be read, or has more than \(bytesMax) bytes.")
        }
        guard let json = try? JSONReader(Array(data)), let members = json.members else {
            throw MobileConfigurationFault(sentence: "The file is not a JSON object.")
        }
        var platforms: [String: MobileConfiguration] = [:]
        for (name, value) in members {
            guard ["ios", "android"].contains(name) else {
                throw MobileConfigurationFault(sentence: "\(name.prefix(64)) is neither ios nor android.")
            }
            platforms[name] = try MobileConfiguration(value, platform: name)
        }
        return platforms
    }
}
