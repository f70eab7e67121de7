import Foundation

@testable import Media

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "/media-tests-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The paths of all files below it, without its own.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }
}

enum Fixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appendingPathComponent("Fixtures/\(name)")))
    }
}

/// A library in a directory of its own, with the built program beside the tests.
struct Stage {
    let directory = TemporaryDirectory()
    let store: DirectoryMediaStore
    let library: MediaLibrary

    /// - Parameter executable: what works on files, given the path of the built program.
    init(
        _ change: (inout MediaLimits) -> Void = { _ in }, executable: (String) throws -> String = { $0 }
    ) throws {
        var limits = MediaLimits()
        limits.diskFreeBytesMin = 0
        change(&limits)
        store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: limits.diskFreeBytesMin)
        library = MediaLibrary(
            store: store, worker: MediaWorker(executable: try executable(Self.executable), limits: limits),
            limits: limits)
    }

    static var executable: String {
        let folders = [
            Bundle.main.bundleURL.deletingLastPathComponent(), Bundle.main.bundleURL,
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let paths = folders.map { $0.appendingPathComponent("rooms-media").path }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "rooms-media is not built"
    }

    func admit(_ bytes: [UInt8], _ kind: MediaKind) throws -> StoredMedia {
        let file = try store.stage(bytes: bytes.count)
        try file.write(bytes.span)
        return try library.admit(file, kind)
    }

    func read(_ key: MediaKey, size: Int? = nil) throws -> [UInt8] {
        guard let descriptor = try library.open(key, size: size) else { return [] }
        return Array(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile())
    }

    /// What fails an upload, or nil when it is admitted.
    func refusal(_ bytes: [UInt8], _ kind: MediaKind) -> MediaError? {
        do {
            _ = try admit(bytes, kind)
            return nil
        } catch {
            return error as? MediaError
        }
    }
}

extension [UInt8] {
    func contains(_ text: String) -> Bool { Data(self).range(of: Data(text.utf8)) != nil }
}
