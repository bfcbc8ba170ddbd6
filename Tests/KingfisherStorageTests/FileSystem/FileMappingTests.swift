import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

/// Mapped files: which are mapped, and what happens if they become shorter.
@Suite(.serialized) struct FileMappingTests {
    private static let size = 2 << 20

    private func makeFile(_ count: Int = size, mode: Int = 0o644) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "mapping-\(UUID().uuidString)")
        try Data(repeating: 7, count: count).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file
    }

    @Test("A file above 1 MiB that only its owner may write is mapped")
    func mapped() throws {
        let file = try makeFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let data = try #require(FileMapping.contents(ofFile: file.path))
        #expect(data == Data(repeating: 7, count: Self.size))
        #expect(FileMapping.of(data)?.residentBytes == 0)
    }

    @Test("Small files, files that others may write, pipes and folders are not mapped", arguments: 0...5)
    func notMapped(example: Int) throws {
        let path: String
        var made: URL?
        defer { if let made { try? FileManager.default.removeItem(at: made) } }
        switch example {
        case 0: made = try makeFile(1 << 20)
        case 1: made = try makeFile(mode: 0o664)
        case 2: made = try makeFile(mode: 0o646)
        case 3:
            let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)")
            #expect(mkfifo(pipe.path, 0o600) == 0)
            made = pipe
        default: break
        }
        path = made?.path ?? (example == 4 ? "/tmp" : "/nonexistent/file")
        #expect(FileMapping.contents(ofFile: path) == nil)
    }

    @Test("The bytes that a shortened file no longer has are zeros, on every thread")
    func shortened() async throws {
        let file = try makeFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let data = try #require(FileMapping.contents(ofFile: file.path))
        #expect(truncate(file.path, 4_096) == 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    #expect(data.prefix(4_096).allSatisfy { $0 == 7 })
                    #expect(data[1_500_000] == 0 && data.suffix(100_000).allSatisfy { $0 == 0 })
                    #expect(data[4_096] == 0)
                }
            }
        }
        // Another mapping is not affected.
        let other = try makeFile()
        defer { try? FileManager.default.removeItem(at: other) }
        #expect(FileMapping.contents(ofFile: other.path)?.last == 7)
    }

    @Test("Only protected mappings are given out, and protection ends with them")
    func full() throws {
        let file = try makeFile()
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            let many = (0..<300).map { _ in FileMapping.contents(ofFile: file.path) }
            #expect(many.contains { $0 == nil } && many.compactMap(\.self).allSatisfy { $0.last == 7 })
        }
        #expect(FileMapping.contents(ofFile: file.path) != nil)
    }

    @Test(
        "A SIGBUS for another reason ends the process, as without protection", arguments: ["fault", "sent"])
    func otherSignals(reason: String) throws {
        let file = try makeFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = try Worker.executable
        process.arguments = ["bus-error", file.path, reason]
        process.environment = ["SWIFT_BACKTRACE": "enable=no"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGBUS)
    }
}
