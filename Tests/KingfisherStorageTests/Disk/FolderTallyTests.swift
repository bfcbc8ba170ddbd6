import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct FolderTallyTests {
    @Test func ownChangesCountBeforeAndAfterAScan() {
        var tally = FolderTally()
        #expect(!tally.isMeasured && tally.wantsScan)
        tally.beginChange(of: 1, from: nil)
        tally.endChange(of: 1, to: 10, writing: 10)
        #expect(tally.entries == 1 && tally.bytes == 10 && tally.written == 10)
        tally.beginScan()
        tally.endScan([.init(name: 1, size: 10), .init(name: 2, size: 5)])
        #expect(tally.isMeasured && !tally.wantsScan)
        #expect(tally.entries == 2 && tally.bytes == 15 && tally.written == 0)
        tally.beginChange(of: 2, from: 5)
        tally.endChange(of: 2, to: 7, writing: 7)
        tally.beginChange(of: 1, from: 10)
        tally.endChange(of: 1, to: nil)
        #expect(tally.entries == 1 && tally.bytes == 7 && tally.written == 7)
    }

    @Test(
        "The sum is right, regardless of the size that a scan saw of a name that changes",
        arguments: [nil, 3, 8] as [Int?])
    func changeDuringAScan(seen: Int?) {
        var tally = FolderTally()
        tally.beginChange(of: 1, from: 3)
        tally.beginScan()
        // One change begins before the scan and ends within it; the other begins within it and ends after it.
        tally.endChange(of: 1, to: 8, writing: 8)
        tally.beginChange(of: 2, from: 3)
        let sizes = [
            seen.map { FolderTally.ScannedName(name: 1, size: $0) },
            seen.map { FolderTally.ScannedName(name: 2, size: $0) },
        ]
        tally.endScan(sizes.compactMap(\.self))
        #expect(tally.entries == 2 && tally.bytes == 8 + 3)
        tally.endChange(of: 2, to: nil)
        #expect(tally.entries == 1 && tally.bytes == 8)
        #expect(tally.written == 8, "Other processes may have scanned before this write")
    }

    @Test("Changes during a scan are taken once, so that its end adds up few")
    func changesAreTakenOnce() {
        var tally = FolderTally()
        tally.beginScan()
        for name in 0..<100 {
            tally.beginChange(of: UInt64(name), from: nil)
            tally.endChange(of: UInt64(name), to: 1, writing: 1)
        }
        var found = FolderTally.ScanResult()
        let changes = tally.takeChanges()
        #expect(changes.count == 100)
        #expect(tally.takeChanges().isEmpty)
        found.note(changes)
        // ScannedName after its change, with the size before it.
        found.add(.init(name: 3, size: 50))
        found.settle()
        tally.endScan(found)
        #expect(tally.entries == 100 && tally.bytes == 100)
        #expect(tally.takeChanges().isEmpty, "No scan is in progress")
    }

    @Test func removeAllInvalidatesAScan() {
        var tally = FolderTally()
        tally.beginScan()
        tally.noteRemovalOfAll()
        tally.beginChange(of: 2, from: nil)
        tally.endChange(of: 2, to: 4, writing: 4)
        tally.endScan([.init(name: 1, size: 100)])
        #expect(tally.entries == 1 && tally.bytes == 4)
    }

    /// A scan that reads the names of a folder in random order, with changes between its steps.
    @Test(arguments: 0..<40)
    func randomInterleavingsKeepSumsExact(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var tally = FolderTally()
        var folder: [UInt64: Int] = [:]
        for name in 0..<20 { folder[UInt64(name)] = Int.random(in: 1...99, using: &random) }
        var open: Set<UInt64> = []
        func step() {
            let name = UInt64.random(in: 0..<30, using: &random)
            if open.remove(name) != nil {
                tally.endChange(of: name, to: folder[name])
            } else {
                tally.beginChange(of: name, from: folder[name])
                open.insert(name)
                folder[name] = Bool.random(using: &random) ? Int.random(in: 1...99, using: &random) : nil
            }
        }
        for _ in 0..<10 {
            for _ in 0..<5 { step() }
            tally.beginScan()
            var found = FolderTally.ScanResult()
            for name in (0..<30).map({ UInt64($0) }).shuffled(using: &random) {
                if let size = folder[name] { found.add(.init(name: name, size: size)) }
                step()
                if Int.random(in: 0..<8, using: &random) == 0 { found.note(tally.takeChanges()) }
            }
            found.settle()
            step()
            tally.endScan(found)
            for name in open { tally.endChange(of: name, to: folder[name]) }
            open = []
            #expect(tally.entries == folder.count)
            #expect(tally.bytes == folder.values.reduce(0, +))
        }
    }
}
