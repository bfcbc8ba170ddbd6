import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

/// A file full of holes takes no room and may claim any size.
struct DiskHugeFileTests {
    @Test("No number of files that claim to be as large as can be stops the process")
    func sums() {
        var raw = stat()
        raw.st_mode = S_IFREG
        raw.st_size = .max
        let status = FileStatus(raw)
        var found = FolderTally.Found()
        var survey = Survey()
        for number in 0..<20_000 {
            found.add(FolderTally.Seen(name: UInt64(number), size: status.size))
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

    /// Where the file system takes files of that size: tmpfs does.
    @Test func engineSurvivesThem() throws {
        let root = "/dev/shm/kingfisher-huge-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        guard mkdir(root, 0o755) == 0 else { return }
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
