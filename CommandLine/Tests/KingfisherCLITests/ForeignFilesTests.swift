import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

/// Files in the cache folder that have the name of an entry but do not belong to the cache.
@Suite("kingfisher cache and foreign files")
struct ForeignFilesTests {
    private let tool = Tool()

    private static let future = timeval(tv_sec: 1 << 32, tv_usec: 0)

    private var folder: String { CacheFolder.path(in: tool.cache) }

    private func cache(_ arguments: String...) async throws -> Tool.Result {
        try await tool.run(["cache"] + arguments + ["--cache", tool.cache])
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func digits(_ digit: Character) -> String { String(repeating: digit, count: 64) }

    @Test("A file with an entry's name is removed only if it has the cache's attribute or is an image")
    func clear() async throws {
        let photo = Fixtures.url(named: "Photos/badge.png").path
        _ = try await tool("get", photo, "-o", "a.png", "--cache", tool.cache)
        let own = try #require(try names().first)
        try FileManager.default.copyItem(atPath: photo, toPath: "\(folder)/\(digits("a"))")
        try Data("a thesis".utf8).write(to: URL(filePath: "\(folder)/\(digits("b"))"))
        try Data().write(to: URL(filePath: "\(folder)/\(digits("c")).txt"))
        // Begins with a PNG signature.
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]).write(
            to: URL(filePath: "\(folder)/\(digits("d"))"))
        #expect(utimes("\(folder)/\(digits("a"))", [Self.future, Self.future]) == 0)
        // A sparse file that is larger than the read limit.
        #expect(FileManager.default.createFile(atPath: "\(folder)/\(digits("e"))", contents: nil))
        #expect(truncate("\(folder)/\(digits("e"))", 1 << 40) == 0)
        let foreign = [digits("b"), "\(digits("c")).txt", digits("d"), digits("e")]

        let listed = try await cache("list", "--json").objects().compactMap { $0["file"] as? String }
        #expect(listed.sorted() == [own, digits("a")].sorted())
        let info = try #require(try await cache("info", "--json").objects().first)
        #expect(info["entries"] as? Int == 2 && info["foreign"] as? Int == 4)
        let found = try await cache("verify", "--repair", "--json")
        #expect(found.status == 0)
        #expect(
            try found.objects().dropLast().map { $0["state"] as? String }
                == Array(repeating: "foreign", count: 4))
        // Expired foreign files also stay.
        let past = timeval(tv_sec: 1_000_000, tv_usec: 0)
        for name in foreign { #expect(utimes("\(folder)/\(name)", [past, past]) == 0) }
        #expect(try await cache("clean", "--json").objects().first?["removed"] as? Int == 0)

        let cleared = try #require(try await cache("clear", "--json").objects().first)
        #expect(cleared["removed"] as? Int == 2 && cleared["foreign"] as? Int == 4)
        #expect(try names() == foreign)
    }

    @Test("A link in place of the folder is followed if it belongs to the user")
    func ownLink() async throws {
        try FileManager.default.createDirectory(atPath: tool.cache, withIntermediateDirectories: false)
        let disk = tool.folder.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        #expect(symlink(disk, folder) == 0)
        let photo = Fixtures.url(named: "Photos/badge.png").path
        #expect(try await tool("get", photo, "-o", "a.png", "--cache", tool.cache).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk).count == 1)
        #expect(try await cache("clear").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk).isEmpty)
    }

    @Test(
        "A folder of another user to which others may write is refused",
        .enabled(if: geteuid() == 0, "chown"))
    func foreignFolder() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(chmod(folder, 0o777) == 0 && chown(folder, 65_534, 65_534) == 0)
        let result = try await cache("list", "--json")
        #expect(result.status == 1)
        #expect(try result.objects().first?["error"] as? String == "foreignFolder")
    }

    @Test("Another user's link in place of the folder is refused", .enabled(if: geteuid() == 0, "chown"))
    func foreignLink() async throws {
        try FileManager.default.createDirectory(atPath: tool.cache, withIntermediateDirectories: false)
        let documents = tool.folder.path("documents")
        try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: false)
        let photo = Fixtures.url(named: "Photos/badge.png").path
        try FileManager.default.copyItem(atPath: photo, toPath: "\(documents)/\(digits("a"))")
        #expect(symlink(documents, folder) == 0)
        #expect(lchown(folder, 65_534, 65_534) == 0)
        for command in ["info", "list", "clear", "clean", "verify"] {
            let result = try await cache(command, "--json")
            #expect(result.status == 1)
            #expect(try result.objects().first?["error"] as? String == "foreignLink")
        }
        let got = try await tool("get", photo, "-o", "a.png", "--json", "--cache", tool.cache)
        #expect(got.status == 1)
        #expect(try got.objects().first?["error"] as? String == "cannotCreateDirectory")
        #expect(try FileManager.default.contentsOfDirectory(atPath: documents) == [digits("a")])
    }
}
