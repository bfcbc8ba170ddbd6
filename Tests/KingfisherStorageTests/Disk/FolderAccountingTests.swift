import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

struct FolderAccountingTests {
    private let folder = CacheFolder("/nowhere", FileSystem())
    private let name = FileNaming().name(forKey: "key")
    private let access = PendingAccesses.Access(
        device: 0, inode: 0, modified: .distantPast, accessed: .distantPast, expires: nil, attribute: nil)

    @Test("A change runs outside the lock and is counted after its success")
    func change() throws {
        let accounting = FolderAccounting(of: folder, DiskSettings(), watch: FolderWatch())
        try accounting.write(name, old: nil, count: 7) { () throws(SystemError) in
            #expect(accounting.tally.entries == 0, "Would deadlock under the lock")
        }
        #expect(accounting.tally.entries == 1 && accounting.tally.bytes == 7 && accounting.tally.written == 7)
        #expect(accounting.note(access, of: name))
        try accounting.remove(name, old: status(size: 7)) {}
        #expect(accounting.tally.entries == 0 && accounting.tally.bytes == 0)
        #expect(accounting.access(of: name) == nil, "The access of a removed file")
    }

    @Test("A change that fails does not change sums and accesses")
    func failedChange() throws {
        let accounting = FolderAccounting(of: folder, DiskSettings(), watch: FolderWatch())
        try accounting.write(name, old: nil, count: 7) {}
        #expect(accounting.note(access, of: name))
        let failure = SystemError(.rename, code: EIO, path: "")
        let fails: () throws(SystemError) -> Void = { () throws(SystemError) in throw failure }
        #expect(throws: failure) { try accounting.write(name, old: status(size: 7), count: 9, fails) }
        #expect(throws: failure) { try accounting.remove(name, old: status(size: 7), fails) }
        #expect(accounting.tally.entries == 1 && accounting.tally.bytes == 7 && accounting.tally.written == 7)
        #expect(accounting.access(of: name) != nil)
    }

    @Test("A store in progress counts before its file exists")
    func incomingBytes() throws {
        let accounting = FolderAccounting(
            of: folder, DiskSettings(sizeLimit: 10 << 20, filtersNames: false), watch: FolderWatch())
        accounting.beginScan()
        var found = FolderTally.ScanResult()
        found.add(FolderTally.ScannedName(name: 1, size: 10 << 20))
        accounting.endScan(&found)
        #expect(accounting.need == .nothing && !accounting.holdsWriters && accounting.sweepGoal == nil)
        #expect(accounting.beginStore(of: 3 << 20))
        #expect(accounting.need == .sweep && accounting.holdsWriters)
        #expect(accounting.sweepGoal?.target == 7 << 20)
        accounting.endStore(of: 3 << 20)
        #expect(accounting.need == .nothing && accounting.sweepGoal == nil)
    }

    private func status(size: Int) -> FileStatus {
        var raw = stat()
        raw.st_mode = S_IFREG
        raw.st_size = size
        return FileStatus(raw)
    }
}
