import Testing

@testable import KingfisherStorage

struct DiskCapTests {
    private let cap = DiskCap(limit: 50_000_000)

    private func tally(holding bytes: Int, writing written: Int = 0) -> FolderTally {
        var tally = FolderTally()
        tally.beginScan()
        tally.endScan([FolderTally.Seen(name: 1, size: bytes - written)])
        tally.beginChange(of: 2, from: nil)
        tally.endChange(of: 2, to: written, writing: written)
        return tally
    }

    @Test func firstOfAllAScan() {
        #expect(cap.need(FolderTally()) == .scan)
        #expect(DiskCap().need(FolderTally()) == .scan, "Statistics want it, too")
        #expect(!cap.holdsWriters(FolderTally()))
    }

    @Test func sweepsAboveTheLimitAndTheSlack() {
        #expect(cap.need(tally(holding: 50_000_000 + DiskCap.slack)) == .nothing)
        #expect(cap.need(tally(holding: 50_000_001 + DiskCap.slack)) == .sweep)
        #expect(DiskCap().need(tally(holding: .max / 4, writing: 1 << 40)) == .nothing)
        #expect(!DiskCap().holdsWriters(tally(holding: .max / 4, writing: 1 << 40)))
        #expect(cap.target == 45_000_000)
    }

    @Test func scansAfterOwnWritesWhereThatCouldMatter() {
        #expect(cap.interval == 2 << 20)
        #expect(cap.need(tally(holding: 30_000_000, writing: 2 << 20)) == .nothing)
        #expect(cap.need(tally(holding: 30_000_000, writing: 2 << 20 + 1)) == .scan)
        #expect(cap.need(tally(holding: 12_000_000, writing: 9_000_000)) == .nothing, "Far below the limit")
        #expect(DiskCap(limit: 1 << 30).interval == 32 << 20)
    }

    @Test func writersWaitForScansAndSweeps() {
        #expect(!cap.holdsWriters(tally(holding: 50_000_000 + cap.interval)))
        #expect(cap.holdsWriters(tally(holding: 50_000_001 + cap.interval)))
        #expect(!cap.holdsWriters(tally(holding: 30_000_000, writing: 2 * cap.interval)))
        #expect(cap.holdsWriters(tally(holding: 30_000_000, writing: 2 * cap.interval + 1)))
    }

    @Test func fruitlessSweepsHoldNobody() {
        var stuck = tally(holding: 60_000_000)
        stuck.noteFruitlessSweep()
        #expect(cap.need(stuck) == .nothing && !cap.holdsWriters(stuck))
        stuck.beginScan()
        stuck.endScan([.init(name: 1, size: 60_000_000)])
        #expect(cap.need(stuck) == .sweep)
    }

    @Test func hugeLimits() {
        #expect(DiskCap(limit: .max).need(tally(holding: 1 << 50)) == .nothing)
        #expect(!DiskCap(limit: .max).holdsWriters(tally(holding: 1 << 50)))
    }
}
