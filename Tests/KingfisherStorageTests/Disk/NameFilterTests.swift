import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

@Suite struct NameFilterTests {
    /// A separate watch, so that it gets no events of other tests.
    private let watch = FolderWatch()

    private func names(_ range: Range<Int>) -> [UInt64] { range.map { Checksum.of("name \($0)") } }

    @Test("No added name is ruled out; at most 1 in 1,000 other names is not ruled out")
    func accuracy() {
        var bits = NameBits(capacity: 50_000)
        for name in names(0..<50_000) { bits.insert(name) }
        #expect(names(0..<50_000).allSatisfy { bits.mayContain($0) })
        let wrong = names(100_000..<200_000).filter { bits.mayContain($0) }.count
        #expect(wrong < 100, "\(wrong) of 100,000")
        #expect(!bits.isCrowded && bits.count > 49_900)
        for name in names(200_000..<260_000) { bits.insert(name) }
        #expect(bits.isCrowded)
    }

    @Test("No name is ruled out before a scan has ended; names that are added during it are known")
    func filling() throws {
        let world = try DiskWorld()
        let filter = NameFilter(watch: watch)
        let (old, new, other) = (names(0..<1)[0], names(1..<2)[0], names(2..<3)[0])
        #expect(!filter.rulesOut(other) && filter.wantsFill)
        filter.beginFill(of: world.engine.directory)
        filter.insert(new)
        #expect(!filter.rulesOut(other) && !filter.wantsFill)
        filter.endFill([old])
        #expect(filter.rulesOut(other) && !filter.rulesOut(old) && !filter.rulesOut(new))
        #expect(!filter.wantsFill)
        filter.clear()
        #expect(!filter.rulesOut(other))
        // The next scan is wanted after a delay, or immediately if the folder was emptied.
        #expect(!filter.wantsFill)
        filter.clear(isUrgent: true)
        #expect(filter.wantsFill)
        filter.turn(on: false)
        filter.beginFill(of: world.engine.directory)
        filter.endFill([])
        #expect(!filter.wantsFill && !filter.isReady)
        filter.turn(on: true)
        #expect(filter.wantsFill)
    }

    @Test("Names created in the folder are known, even from other processes; those of other folders are not")
    func watching() throws {
        let (world, elsewhere) = (try DiskWorld(), try DiskWorld())
        let filters = [NameFilter(watch: watch), NameFilter(watch: watch)]
        let distant = NameFilter(watch: watch)
        for filter in filters {
            filter.beginFill(of: world.engine.directory)
            filter.endFill([])
        }
        distant.beginFill(of: elsewhere.engine.directory)
        distant.endFill([])
        for name in ["created", "renamed.part"] {
            try Data([1]).write(to: URL(filePath: world.engine.directory + "/" + name))
        }
        try FileManager.default.moveItem(
            atPath: world.engine.directory + "/renamed.part", toPath: world.engine.directory + "/renamed")
        for filter in filters {
            #expect(!filter.rulesOut(Checksum.of("created")) && !filter.rulesOut(Checksum.of("renamed")))
            #expect(filter.rulesOut(Checksum.of("absent")))
        }
        #expect(distant.rulesOut(Checksum.of("created")))
    }

    @Test("An overflow of kernel events or a removed folder turns the filter off")
    func lostEvents() throws {
        let world = try DiskWorld()
        let filter = NameFilter(watch: watch)
        filter.beginFill(of: world.engine.directory)
        filter.endFill([])
        #expect(filter.rulesOut(1))
        let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let count = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        for number in 0...count {
            // The kernel merges equal events in a row.
            let path = world.engine.directory + "/\(number % 2)"
            close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            unlink(path)
        }
        var reads = 0
        while filter.isReady, reads < 1_000 {
            _ = filter.rulesOut(1)
            reads += 1
        }
        #expect(!filter.isReady)
        let again = NameFilter(watch: FolderWatch())
        again.beginFill(of: world.engine.directory)
        again.endFill([])
        try FileManager.default.removeItem(atPath: world.engine.directory)
        #expect(!again.rulesOut(1) && !again.isReady)
    }

    @Test("If a folder cannot be watched, the filter is off and wants no scan")
    func unwatchable() throws {
        let filter = NameFilter(watch: watch)
        filter.beginFill(of: "/nowhere/at/all")
        filter.endFill([])
        #expect(!filter.isReady && !filter.wantsFill && !filter.rulesOut(1))
    }

    @Test("An engine fills its filter when it is opened, and again after removeAll")
    func engineFillsItsFilter() throws {
        let world = try DiskWorld(watch: watch)
        try world.store(Data([1, 2, 3]), "kept")
        world.background.runAll()
        #expect(world.engine.knowsNames)
        #expect(world.engine.rulesOut(world.name("other")))
        #expect(!world.engine.rulesOut(world.name("kept")))
        try world.store(Data([1]), "later")
        #expect(!world.engine.rulesOut(world.name("later")))
        try world.engine.removeAll()
        #expect(world.engine.rulesOut(world.name("kept")))
        #expect(world.engine.statistics.misses == 2)
    }

    @Test("The names of a new folder are known on return, those of an existing one after a scan")
    func newFolder() throws {
        let world = try DiskWorld(folder: "a/cache", prepared: false, watch: watch)
        try world.engine.prepare()
        #expect(world.engine.rulesOut(world.name("other")) && world.background.delays.isEmpty)
        let other = try world.otherEngine()
        #expect(!other.knowsNames)
        world.background.runAll()
        #expect(other.knowsNames)
    }

    @Test(
        "A file that another process stores while a new or emptied folder is scanned is not ruled out",
        arguments: [false, true])
    func storedDuringTheScan(empties: Bool) throws {
        let world = try DiskWorld(prepared: empties, watch: watch)
        let path = world.path("late")
        world.faults.fail { call, _ in
            // Only an event tells of it, because it is removed before the names are read.
            if call == .list { _ = close(creat(path, 0o600)) + unlink(path) }
            return 0
        }
        if empties { try world.engine.removeAll() } else { try world.engine.prepare() }
        #expect(!world.engine.rulesOut(world.name("late")) && world.engine.rulesOut(world.name("other")))
    }

    @Test("Events of a program that only writes do not accumulate")
    func manyWrites() throws {
        let world = try DiskWorld(watch: watch)
        for number in 0..<1_100 { try world.store(Data([1]), "\(number)") }
        // Each event takes about a hundred bytes.
        #expect(world.engine.knowsNames && watch.waitingBytes < 20_000)
        #expect(world.engine.rulesOut(world.name("other")))
    }
}
