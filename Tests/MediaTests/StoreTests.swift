import Foundation
import Testing
import Threads
import Wire

@testable import Media

struct DirectoryMediaStoreTests {
    let directory = TemporaryDirectory()

    private func staged(_ store: DirectoryMediaStore, _ text: String) throws -> StagedFile {
        let file = try store.stage(bytes: 0)
        let bytes = Array(text.utf8)
        try file.write(bytes.span)
        return file
    }

    private func text(_ descriptor: Int32?) -> String? {
        descriptor.map {
            String(
                decoding: FileHandle(fileDescriptor: $0, closeOnDealloc: true).readDataToEndOfFile(), as: UTF8.self)
        }
    }

    @Test func `a file is there from its publication to its deletion`() throws {
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        let key = MediaKey(.jpeg)
        #expect(try store.open(key, side: nil) == nil)
        try store.publish(staged(store, "whole"), copies: [(128, staged(store, "small"))], as: key)
        #expect(text(try store.open(key, side: nil)) == "whole")
        #expect(text(try store.open(key, side: 128)) == "small")
        #expect(try store.open(key, side: 320) == nil)
        // As another process would see it.
        let other = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        #expect(text(try other.open(key, side: nil)) == "whole")
        try store.delete(key)
        try store.delete(key)
        #expect(directory.files.isEmpty)
    }

    @Test func `deleting one leaves the others, their copies too`() throws {
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        let keys = (0..<50).map { _ in MediaKey(.png) }
        for key in keys { try store.publish(staged(store, "\(key)"), copies: [(1, staged(store, "c"))], as: key) }
        try store.delete(keys[0])
        #expect(directory.files.count == 98)
        var found: [MediaKey: Int] = [:]
        try store.forEach { key, bytes, published in
            found[key] = bytes
            #expect(abs(Double(published) - Date().timeIntervalSince1970) < 60)
        }
        #expect(Set(found.keys) == Set(keys.dropFirst()))
        #expect(found.values.allSatisfy { $0 == 36 })
    }

    @Test func `what was never published goes with its owner, or with the next start`() throws {
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        var file: StagedFile? = try staged(store, "a")
        #expect(directory.files.count == 1)
        file = nil
        #expect(file == nil && directory.files.isEmpty)
        try Data("left over".utf8).write(to: URL(fileURLWithPath: directory.path + "/staging/old"))
        _ = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        #expect(directory.files.isEmpty)
    }

    @Test func `nothing is begun when the disk is short`() throws {
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 1 << 60)
        #expect(throws: MediaError.storeFull) { try store.stage(bytes: 1) }
        let roomy = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        #expect(throws: MediaError.storeFull) { try roomy.stage(bytes: 1 << 60) }
        #expect(directory.files.isEmpty)
    }

    /// Each looked at the disk by itself, so that many at a time took more than is to be left free.
    @Test func `files on their way have their room to themselves`() throws {
        let free = Locked(11_000)
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 1_000) { _ in
            free.withLock { $0 }
        }
        var first: StagedFile? = try store.stage(bytes: 6_000)
        #expect(throws: MediaError.storeFull) { try store.stage(bytes: 4_001) }
        var second: StagedFile? = try store.stage(bytes: 4_000)
        // What is written is the disk's own count, and is not counted twice.
        try first?.write([UInt8](repeating: 1, count: 6_000).span)
        free.withLock { $0 = 5_000 }
        #expect(throws: MediaError.storeFull) { try store.stage(bytes: 1) }
        second = nil
        #expect(second == nil)
        second = try store.stage(bytes: 4_000)
        first = nil
        #expect(first == nil)
        free.withLock { $0 = 11_000 }
        try second?.write([UInt8](repeating: 1, count: 1_000).span)
        free.withLock { $0 = 10_000 }
        try store.publish(#require(second), copies: [], as: MediaKey(.jpeg))
        _ = try store.stage(bytes: 9_000)
    }

    @Test func `an upload claims what it has told, or as much as its kind may have`() throws {
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0) { _ in 20_000_000 }
        let library = MediaLibrary(
            store: store, worker: MediaWorker(executable: "", limits: MediaLimits()), limits: MediaLimits())
        let boundary = try #require(MultipartBoundary("B"))
        let beginning = Array("--B\r\nContent-Disposition: form-data; name=\"photo\"\r\n\r\nabc".utf8)
        let first = library.upload(.photo, boundary: boundary)
        try first.take(beginning)
        #expect(throws: MediaError.storeFull) { try library.upload(.photo, boundary: boundary).take(beginning) }
        try library.upload(.photo, boundary: boundary, told: 4_000_000).take(beginning)
        withExtendedLifetime(first) {}
    }

    @Test func `a publication that fails leaves nothing`() throws {
        let store = try DirectoryMediaStore(directory: directory.path, freeBytesMin: 0)
        let key = MediaKey(.jpeg)
        // Where the folder should be is a file.
        try Data().write(to: URL(fileURLWithPath: directory.path + "/files/\(key.folder)"))
        #expect(throws: MediaError.self) {
            try store.publish(staged(store, "whole"), copies: [(128, staged(store, "small"))], as: key)
        }
        #expect(directory.files == ["files/\(key.folder)"])
    }

    @Test func `a full disk is told from others of its faults`() throws {
        #expect(MediaError.ofSystem(ENOSPC) == .storeFull)
        #expect(MediaError.ofSystem(EIO) == .storeFailed("Input/output error"))
        #expect(throws: MediaError.self) { try DirectoryMediaStore(directory: "/proc/nowhere", freeBytesMin: 0) }
    }
}
