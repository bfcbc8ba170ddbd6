import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("Leftover files of killed runs")
struct LeftoverFilesTests {
    private let tool = Tool()
    private let photo = Fixtures.url(named: "Photos/badge.png").path

    @Test("Names are recognised exactly and have a limited length")
    func names() {
        #expect(LeftoverFiles.name(for: "a.png", number: 7) == ".a.png.7.part")
        for name in [".a.png.7.part", ".a.4294967295.part", "..hidden.0.part"] {
            #expect(LeftoverFiles.isLeftover(name))
        }
        for name in [
            "a.png.7.part", ".a.png.part", ".a.png.7.parts", ".a.png.07.part", ".a.png.-7.part", ".7.part",
            "..7.part", ".a.png.4294967296.part", ".a.png.x7.part", ".a.png.7", "",
        ] {
            #expect(!LeftoverFiles.isLeftover(name), "\(name)")
        }
        let long = LeftoverFiles.name(for: String(repeating: "é", count: 127), number: .max)
        #expect(long.utf8.count <= 255 && LeftoverFiles.isLeftover(long))
    }

    @Test(
        "The next run removes leftover files from its output folder, and no other files",
        arguments: ["out/", "out/b.png"])
    func removed(output: String) async throws {
        let folder = tool.folder.path("out")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in [".a.png.1.part", ".z.2.part", ".a.png.3.part", ".a.png.4.parts", "a.png.5.part"] {
            try Data([1]).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        // A running writer holds a lock.
        let writer = open("\(folder)/.a.png.3.part", O_WRONLY)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX | LOCK_NB) == 0)
        #expect(symlink(photo, "\(folder)/.link.6.part") == 0)
        #expect(mkfifo("\(folder)/.pipe.7.part", 0o600) == 0)
        #expect(mkdir("\(folder)/.folder.8.part", 0o700) == 0)
        var kept = [
            ".a.png.3.part", ".a.png.4.parts", ".folder.8.part", ".link.6.part", ".pipe.7.part",
            "a.png.5.part",
        ]
        if geteuid() == 0 {
            try Data([1]).write(to: URL(filePath: "\(folder)/.foreign.9.part"))
            #expect(chown("\(folder)/.foreign.9.part", 65_534, 65_534) == 0)
            kept.append(".foreign.9.part")
        }
        let result = try await tool("get", photo, "-o", output, "--quiet", "--no-cache")
        #expect(result.status == 0)
        let output = output == "out/" ? "badge.png" : "b.png"
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == (kept + [output]).sorted()
        )
    }

    @Test("A file that is being written is not removed")
    func openFile() async throws {
        let folder = TemporaryFolder()
        let bytes = Data(repeating: 7, count: 1_000_000)
        let sweeper = Task {
            while !Task.isCancelled { LeftoverFiles.remove(from: folder.url.path) }
        }
        defer { sweeper.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    for _ in 0..<300 { try OutputFile.write(bytes, to: folder.path("\(number).bin")) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.names() == ["0.bin", "1.bin", "2.bin"])
    }
}
