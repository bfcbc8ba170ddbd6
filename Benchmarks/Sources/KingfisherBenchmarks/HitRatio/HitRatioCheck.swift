import Kingfisher

/// Checks of the simulator with traces small enough to verify by hand; run before each measurement.
enum HitRatioCheck {
    static func run() throws {
        try playedByHand()
        try sizesCount()
        try theLibraryAgrees()
    }

    private static func expect(_ holds: Bool, _ what: String) throws {
        guard holds else { throw BenchmarkError("hit-ratio: a check of the simulator failed: \(what)") }
    }

    private static func hits(_ trace: Trace, _ replay: some Replay) -> [Bool] {
        var replay = replay
        return trace.requests.map { replay.request($0, size: trace.sizes[Int($0)]) }
    }

    private static func playedByHand() throws {
        let trace = Trace("by hand", requests: [0, 1, 2, 0, 1, 3, 0], sizes: [1, 1, 1, 1])
        try expect(
            hits(trace, PlainLRU(capacity: 2)) == Array(repeating: false, count: 7),
            "three alternating images have no hit in an LRU cache of two")
        try expect(
            hits(trace, PlainLRU(capacity: 3)) == [false, false, false, true, true, false, true],
            "three alternating images have hits in an LRU cache of three")
        try expect(
            hits(trace, Belady(capacity: 2, trace: trace)) == [false, false, false, true, true, false, true],
            "Belady does not store an image that is never requested again")
        try expect(
            hits(trace, Belady(capacity: 1, trace: trace)).count { $0 } == 2,
            "Belady with room for one image keeps the one that is requested next")
    }

    private static func sizesCount() throws {
        let trace = Trace("sizes", requests: [0, 1, 0, 1], sizes: [3, 1])
        try expect(hits(trace, PlainLRU(capacity: 3)) == Array(repeating: false, count: 4), "sizes, recency")
        let ratio = HitRatio(of: trace, in: Belady(capacity: 3, trace: trace))
        try expect(ratio.objects == 0.25, "one of four requests")
        try expect(ratio.bytes == 0.375, "three of eight bytes")
        try expect(ratio.cost == 200_003 / 800_008, "a fixed cost and three bytes, of four and eight")
        try expect(
            !hits(trace, PlainLRU(capacity: 2)).prefix(3).contains(true),
            "an image larger than the cache is not stored")
    }

    private static func theLibraryAgrees() throws {
        var (maker, again) = (TraceMaker(seed: 1, length: 20_000), TraceMaker(seed: 1, length: 20_000))
        for (trace, same) in zip(maker.all(), again.all()) {
            try expect(
                trace.requests == same.requests && trace.sizes == same.sizes,
                "the same seed gives the same trace")
            try expect(trace.sizes.allSatisfy { (4_000...20_000_000).contains($0) }, "sizes of \(trace.name)")
            let capacity = trace.footprint / 20
            let library = BackendReplay(
                .leastRecentlyUsed, capacity: capacity, keys: BackendReplay.keys(of: trace))
            try expect(
                hits(trace, library) == hits(trace, PlainLRU(capacity: capacity)),
                "the library's LRU and the plain LRU differ on \(trace.name)")
        }
    }
}
