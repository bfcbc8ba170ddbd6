import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct GhostTableTests {
    @Test func forgetsEntriesBeyondTheReach() {
        for weightAfter in [0, 60, 89, 90, 91, 500] {
            var ghosts = GhostTable()
            ghosts.remember(1, weight: 10, from: .main)
            ghosts.remember(2, weight: weightAfter, from: .small)
            #expect(ghosts.recall(1, reach: 100) == (weightAfter <= 90 ? .main : nil), "\(weightAfter)")
        }
    }

    @Test func recallsRememberedHashesOnce() {
        var ghosts = GhostTable()
        #expect(ghosts.recall(0, reach: .max) == nil)
        ghosts.remember(7, weight: 1, from: .small)
        ghosts.remember(7, weight: 1, from: .main)
        #expect(ghosts.recall(7 + 16, reach: .max) == nil)
        #expect(ghosts.recall(7, reach: .max) == .main)
        #expect(ghosts.recall(7, reach: .max) == nil)
    }

    @Test func clockOverflowForgetsNothing() {
        var ghosts = GhostTable(clock: .max)
        ghosts.remember(1, weight: 10, from: .main)
        ghosts.remember(2, weight: 10, from: .small)
        #expect(ghosts.recall(1, reach: 20) == .main)
        #expect(ghosts.recall(2, reach: 9) == nil)
    }

    @Test func growsOnlyWithTheCacheAndForgetsNothing() {
        var ghosts = GhostTable()
        ghosts.makeRoom(forNodes: 1_000)
        var random = SeededGenerator(seed: 1)
        let hashes = (0..<1_000).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
        for hash in hashes { ghosts.remember(hash, weight: 1, from: .small) }
        ghosts.makeRoom(forNodes: 20_000)
        // A thousand hashes in 1,024 buckets of four: few buckets were full.
        let known = hashes.count { ghosts.recall($0, reach: 1_000) != nil }
        #expect(known > 970)

        for _ in 0..<300_000 {
            ghosts.remember(UInt32.random(in: 0...UInt32.max, using: &random), weight: 1, from: .main)
        }
        #expect(ghosts.slotCount == 131_072)
    }

    @Test func fullBucketDropsItsOldestHash() {
        var ghosts = GhostTable()
        // Four buckets of four, chosen by the two lowest bits.
        for hash in [4, 8, 12, 16, 20] as [UInt32] { ghosts.remember(hash, weight: 1, from: .small) }
        #expect(ghosts.recall(4, reach: .max) == nil)
        for hash in [8, 12, 16, 20] as [UInt32] { #expect(ghosts.recall(hash, reach: .max) == .small) }
    }
}

struct AdaptiveShareTests {
    @Test func returnsEnlargeTheirPart() {
        var share = AdaptiveShare()
        let start = share.share
        share.noteReturn(to: .small, weight: 10, total: 1_000)
        #expect(share.share > start)
        let grown = share.share
        share.noteReturn(to: .main, weight: 10, total: 1_000)
        #expect(share.share < grown)
        #expect(share.of(1_000) == Int(share.share * 1_000))
    }

    @Test func returnToThePartWithFewerEvictionsCountsMore() {
        var share = AdaptiveShare()
        for _ in 0..<90 { share.noteEviction(from: .small, weight: 10, total: 1_000) }
        for _ in 0..<10 { share.noteEviction(from: .main, weight: 10, total: 1_000) }
        let start = share.share
        share.noteReturn(to: .small, weight: 10, total: 1_000)
        let grown = share.share - start
        share.noteReturn(to: .main, weight: 10, total: 1_000)
        let shrunk = start + grown - share.share
        #expect(shrunk > 8 * grown)
    }

    @Test(arguments: [0, 1, 1 << 36] as [Int])
    func staysWithinItsBounds(total: Int) {
        var share = AdaptiveShare()
        for _ in 0..<1_000 { share.noteReturn(to: .small, weight: 1 << 36, total: total) }
        #expect(share.share == AdaptiveShare.bounds.upperBound)
        for _ in 0..<1_000 { share.noteReturn(to: .main, weight: 1 << 36, total: total) }
        #expect(share.share == AdaptiveShare.bounds.lowerBound)
    }
}
