import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

/// A sparse file occupies no blocks and may have any size.
struct DiskHugeFileTests {
    @Test("Sums of the largest possible file sizes do not overflow")
    func sumsDoNotOverflow() {
        var raw = stat()
        raw.st_mode = S_IFREG
        raw.st_size = .max
        let status = FileStatus(raw)
        var found = FolderTally.ScanResult()
        var survey = Survey()
        for number in 0..<20_000 {
            found.add(FolderTally.ScannedName(name: UInt64(number), size: status.size))
            survey.add(ScannedEntry(name: FileNaming().name(forKey: "\(number)"), status: status))
        }
        var tally = FolderTally()
        tally.beginScan()
        tally.endScan(found)
        tally.beginChange(of: 1, from: status.size)
        tally.endChange(of: 1, to: nil)
        #expect(tally.entries == 19_999)
        #expect(survey.bytes == .max)
        #expect(survey.victims(leaving: 0, now: Date()).count > 8_000)
    }

    /// Needs a file system that allows files of that size, as tmpfs does.
    @Test func engineHandlesHugeFiles() throws {
        let root = "/dev/shm/kingfisher-huge-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        // A folder that exists is scanned in the background.
        guard mkdir(root, 0o755) == 0, mkdir(root + "/cache", 0o755) == 0 else { return }
        let background = ManualBackground()
        let engine = DiskEngine(
            directory: root + "/cache", settings: DiskSettings(sizeLimit: 1 << 20),
            background: background.work
        )
        try engine.prepare()
        let names = ["a", "b", "c"].map { FileNaming().name(forKey: $0) }
        for name in names {
            try engine.store(bytes(3), for: name, expiration: .days(1))
            guard truncate(engine.path(of: name), 7 << 60) == 0 else { return }
        }
        #expect(try engine.totalSize() == 3 * UInt64(FileStatus.largestSize))
        background.runAll()
        #expect(try engine.totalSize() == 0)
    }
}
