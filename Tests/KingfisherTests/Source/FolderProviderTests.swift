import Foundation
import Glibc
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Files of a folder by untrusted names, with and without openat2.
@Suite struct FolderProviderTests {
    private typealias Failure = FolderImageDataProvider.FolderError

    /// A folder with an image, a subfolder, links and special files, and a secret beside it.
    private struct Rig: Sendable {
        let place: TemporaryFolder
        var root: URL { place.url.appending(path: "images") }

        init() throws {
            place = try TemporaryFolder()
            let files = FileManager.default
            try files.createDirectory(
                at: root.appending(path: "2026/june"), withIntermediateDirectories: true)
            let image = try TestImages.png
            for path in ["a.png", "2026/b c.png", "2026/june/ü.png", "..png", "2026/...png"] {
                try image.write(to: root.appending(path: path))
            }
            try image.write(to: place.url.appending(path: "secret.png"))
            for (path, target) in [
                ("link.png", "a.png"), ("out.png", "../secret.png"), ("absolute.png", "/etc/passwd"),
                ("folder", "2026"), ("up", ".."), ("self", "self"), ("proc", "/proc/self/root"),
            ] {
                try files.createSymbolicLink(
                    atPath: root.appending(path: path).path, withDestinationPath: target)
            }
            mkfifo(root.appending(path: "pipe").path, 0o600)
        }

        func data(_ path: String, usesKernel: Bool, limit: Int = 1 << 30) async throws -> Data {
            let folder = try ImageFolder(url: root, usesKernel: usesKernel)
            let provider = FolderImageDataProvider(folder, path: path, maximumBytes: limit)
            return try await withCheckedThrowingContinuation { continuation in
                provider.data { continuation.resume(with: $0) }
            }
        }
    }

    @Test(arguments: ["a.png", "2026/b c.png", "2026/june/ü.png", "..png", "2026/...png"], [true, false])
    func `A file of the folder is read`(path: String, usesKernel: Bool) async throws {
        let rig = try Rig()
        #expect(try await rig.data(path, usesKernel: usesKernel) == TestImages.png)
    }

    @Test(
        arguments: [
            "", "/", ".", "..", "../secret.png", "2026/../a.png", "2026/../../secret.png", "/a.png",
            "//a.png",
            "a.png/", "./a.png", "2026//b c.png", "/etc/passwd", "link.png", "out.png", "absolute.png",
            "folder/b c.png", "up/secret.png", "up/images/a.png", "self", "proc/etc/passwd", "pipe", "2026",
            "2026/june", "missing.png", "a.png/b", "a.png\0", "a\0.png", "2026/june/u\u{308}.png",
            String(repeating: "a/", count: 3_000) + "a", String(repeating: "a", count: 5_000),
        ], [true, false])
    func `Anything else is not found`(path: String, usesKernel: Bool) async throws {
        let rig = try Rig()
        await #expect(throws: Failure.notFound) { try await rig.data(path, usesKernel: usesKernel) }
    }

    @Test func `A file above the limit, and one that may not be read, have errors of their own`() async throws
    {
        let rig = try Rig()
        await #expect(throws: Failure.tooLarge(limit: 10)) {
            try await rig.data("a.png", usesKernel: true, limit: 10)
        }
        // Root reads everything.
        guard geteuid() != 0 else { return }
        chmod(rig.root.appending(path: "a.png").path, 0)
        await #expect(throws: Failure.notPermitted) { try await rig.data("a.png", usesKernel: true) }
    }

    @Test func `A folder that is replaced by a link is still the old one`() async throws {
        let rig = try Rig()
        let folder = try ImageFolder(url: rig.root)
        try FileManager.default.moveItem(at: rig.root, to: rig.place.url.appending(path: "moved"))
        try FileManager.default.createSymbolicLink(
            atPath: rig.root.path, withDestinationPath: rig.place.url.path)
        let provider = FolderImageDataProvider(folder, path: "secret.png")
        await #expect(throws: Failure.notFound) {
            try await withCheckedThrowingContinuation { continuation in
                provider.data { continuation.resume(with: $0) }
            }
        }
    }

    @Test func `A missing folder cannot be opened`() throws {
        #expect(throws: (any Error).self) { try ImageFolder(url: URL(filePath: "/nonexistent/images")) }
        #expect(throws: (any Error).self) { try ImageFolder(url: URL(filePath: "/etc/passwd")) }
    }

    @Test func `The image of another path, of a removed file or behind a link is never used`() async throws {
        let rig = try Rig()
        let bench = try Bench()
        let folder = try ImageFolder(url: rig.root)
        let options: KingfisherOptionsInfo = [.waitForCache, .callbackQueue(.untouch)]
        // The program itself has loaded the file behind a link.
        let linked = rig.root.appending(path: "out.png").convertToSource()
        #expect(try await bench.retrieve(linked, options).isSuccess)
        #expect(try await !bench.retrieve(folder.source("out.png"), options).isSuccess)
        #expect(try await bench.retrieve(folder.source("a.png"), options).isSuccess)
        try FileManager.default.removeItem(at: rig.root.appending(path: "a.png"))
        #expect(try await !bench.retrieve(folder.source("a.png"), options).isSuccess)
    }

    @Test func `A changed file of the folder is loaded again`() async throws {
        let rig = try Rig()
        let bench = try Bench()
        let source = try ImageFolder(url: rig.root).source("a.png")
        let options: KingfisherOptionsInfo = [.waitForCache, .callbackQueue(.untouch)]
        #expect(try await bench.retrieve(source, options).get().cacheType == .none)
        #expect(try await bench.retrieve(source, options).get().cacheType == .memory)
        try TestImages.jpeg.write(to: rig.root.appending(path: "a.png"), options: .atomic)
        #expect(try await bench.retrieve(source, options).get().cacheType == .none)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}
