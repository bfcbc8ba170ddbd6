import Testing

@testable import KingfisherStorage

struct DiskCapTests {
    private let cap = DiskCap(limit: 50_000_000)

    private func tally(holding bytes: Int, writing written: Int = 0) -> FolderTally {
        var tally = FolderTally()
        tally.beginScan()
        tally.endScan([FolderTally.ScannedName(name: 1, size: bytes - written)])
        tally.beginChange(of: 2, from: nil)
        tally.endChange(of: 2, to: written, writing: written)
        return tally
    }

    @Test func newTallyNeedsAScan() {
        #expect(cap.need(FolderTally()) == .scan)
        #expect(DiskCap().need(FolderTally()) == .scan, "Statistics need it, too")
        #expect(!cap.holdsWriters(FolderTally()))
    }

    @Test func sweepsAboveLimitAndSlack() {
        #expect(cap.need(tally(holding: 50_000_000 + DiskCap.slack)) == .nothing)
        #expect(cap.need(tally(holding: 50_000_001 + DiskCap.slack)) == .sweep)
        #expect(DiskCap().need(tally(holding: .max / 4, writing: 1 << 40)) == .nothing)
        #expect(!DiskCap().holdsWriters(tally(holding: .max / 4, writing: 1 << 40)))
        #expect(cap.target == 45_000_000)
    }

    @Test func scansAfterOwnWritesNearTheLimit() {
        #expect(cap.interval == 2 << 20)
        #expect(cap.need(tally(holding: 30_000_000, writing: 2 << 20)) == .nothing)
        #expect(cap.need(tally(holding: 30_000_000, writing: 2 << 20 + 1)) == .scan)
        #expect(
            cap.need(tally(holding: 12_000_000, writing: 9_000_000)) == .scan, "Even if the folder is small")
        #expect(DiskCap(limit: 1 << 30).interval == 32 << 20)
    }

    @Test func writersWaitForScansAndSweeps() {
        #expect(!cap.holdsWriters(tally(holding: 50_000_000 + cap.interval)))
        #expect(cap.holdsWriters(tally(holding: 50_000_001 + cap.interval)))
        #expect(!cap.holdsWriters(tally(holding: 30_000_000, writing: 2 * cap.interval)))
        #expect(cap.holdsWriters(tally(holding: 30_000_000, writing: 2 * cap.interval + 1)))
    }

    @Test func incomingBytesAreCounted() {
        let full = tally(holding: 50_000_000)
        #expect(
            cap.need(full, incoming: 30_000_000) == .sweep && cap.holdsWriters(full, incoming: 30_000_000))
        #expect(cap.target(incoming: 30_000_000) == 20_000_000 && cap.target(incoming: 1_000) == cap.target)
        #expect(!cap.holdsWriters(tally(holding: 20_000_000), incoming: 30_000_000))
        // Data that can never fit is not waited for.
        #expect(!cap.holdsWriters(tally(holding: cap.interval), incoming: .max))
        #expect(cap.target(incoming: .max) == 0)
    }

    /// Processes that write in round-robin order, without background work, and learn about each other only
    /// by scans.
    @Test("The documented bound holds for any number of processes on a folder", arguments: [1, 2, 5, 8, 16])
    func boundAcrossProcesses(processes: Int) {
        let cap = DiskCap(limit: 64 << 20)
        let chunk = 128 << 10
        var folder: [FolderTally.ScannedName] = []
        var oldest = 0
        var most = 0
        var tallies = (0..<processes).map { _ in
            var tally = FolderTally()
            tally.beginScan()
            tally.endScan(FolderTally.ScanResult())
            return tally
        }
        func scan(_ tally: inout FolderTally) {
            tally.beginScan()
            var found = FolderTally.ScanResult()
            for seen in folder[oldest...] { found.add(seen) }
            tally.endScan(found)
        }
        for step in 0..<(4 * cap.limit / chunk) {
            let index = step % processes
            while cap.holdsWriters(tallies[index], incoming: chunk) {
                scan(&tallies[index])
                guard cap.need(tallies[index], incoming: chunk) == .sweep else { continue }
                while (folder.count - oldest) * chunk > cap.target(incoming: chunk) { oldest += 1 }
                scan(&tallies[index])
            }
            let name = UInt64(step)
            tallies[index].beginChange(of: name, from: nil)
            folder.append(FolderTally.ScannedName(name: name, size: chunk))
            tallies[index].endChange(of: name, to: chunk, writing: chunk)
            most = max(most, (folder.count - oldest) * chunk)
        }
        #expect(most > cap.target)
        #expect(most <= cap.limit + (2 * processes + 1) * cap.interval + processes * chunk)
    }

    @Test func fruitlessSweepsDelayNoWriter() {
        var stuck = tally(holding: 60_000_000)
        stuck.noteFruitlessSweep()
        #expect(cap.need(stuck) == .nothing && !cap.holdsWriters(stuck))
        stuck.beginScan()
        stuck.endScan([.init(name: 1, size: 60_000_000)])
        #expect(cap.need(stuck) == .sweep)
    }

    @Test func hugeLimitsDoNotOverflow() {
        #expect(DiskCap(limit: .max).need(tally(holding: 1 << 50)) == .nothing)
        #expect(!DiskCap(limit: .max).holdsWriters(tally(holding: 1 << 50)))
    }
}
