import Foundation
import Glibc
import Testing

@testable import KingfisherCLI

@Suite("Output files")
struct OutputFileTests {
    private let folder = TemporaryFolder()

    @Test("A file is created and then replaced without leftover files")
    func writes() throws {
        let path = folder.path("a.bin")
        try OutputFile.write(Data(repeating: 1, count: 300_000), to: path)
        try OutputFile.write(Data([2, 3]), to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([2, 3]))
        #expect(try folder.names() == ["a.bin"])
    }

    @Test("A symbolic link stays, and its target is replaced")
    func link() throws {
        try OutputFile.write(Data([1]), to: folder.path("target"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("target"))
        try OutputFile.write(Data([2]), to: folder.path("link"))
        #expect(try Data(contentsOf: URL(filePath: folder.path("target"))) == Data([2]))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link"))
                == folder.path("target"))
    }

    @Test(
        "A file of another user in place of the written one is removed, and is an error",
        .enabled(if: geteuid() == 0, "chown"))
    func exchanged() throws {
        let path = folder.path("a.bin")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        try OutputFile.confirm(path, is: descriptor)
        try Data([1]).write(to: URL(filePath: folder.path("other")))
        #expect(rename(folder.path("other"), path) == 0)
        // Another run of this user may have written the same file.
        try OutputFile.confirm(path, is: descriptor)
        #expect(chown(path, 65_534, 65_534) == 0)
        #expect(throws: SystemError(EPERM)) { try OutputFile.confirm(path, is: descriptor) }
        #expect(try folder.names() == [])
    }

    @Test("A folder is not overwritten, and a missing folder is not created")
    func refuses() throws {
        #expect(throws: SystemError(EISDIR)) { try OutputFile.write(Data([1]), to: folder.path(".")) }
        #expect(throws: SystemError(ENOENT)) { try OutputFile.write(Data([1]), to: folder.path("no/a")) }
        #expect(try folder.names() == [])
    }

    @Test("Devices are written to, not replaced")
    func device() throws {
        try OutputFile.write(Data([1]), to: "/dev/null")
        #expect(throws: SystemError(ENOSPC)) { try OutputFile.write(Data([1]), to: "/dev/full") }
    }
}

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "kingfisher-tests-\(UUID().uuidString)", directoryHint: .isDirectory)

    init() {
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appending(path: name).path
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
