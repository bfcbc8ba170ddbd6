import Kingfisher

/// Traces small enough to be played by hand, for the simulator itself; run before each measurement.
enum HitRatioCheck {
    static func run() throws {
        try playedByHand()
        try sizesCount()
        try theLibraryAgrees()
    }

    private static func expect(_ holds: Bool, _ what: String) throws {
        guard holds else { throw BenchmarkError("hit-ratio: the simulator is wrong: \(what)") }
    }

    private static func hits(_ trace: Trace, _ replay: some Replay) -> [Bool] {
        var replay = replay
        return trace.requests.map { replay.request($0, size: trace.sizes[Int($0)]) }
    }

    private static func playedByHand() throws {
        let trace = Trace("by hand", requests: [0, 1, 2, 0, 1, 3, 0], sizes: [1, 1, 1, 1])
        try expect(
            hits(trace, PlainLRU(capacity: 2)) == Array(repeating: false, count: 7),
            "three images in turn have no hit in a cache of two that goes by recency")
        try expect(
            hits(trace, PlainLRU(capacity: 3)) == [false, false, false, true, true, false, true],
            "in a cache of three they have")
        try expect(
            hits(trace, Belady(capacity: 2, trace: trace)) == [false, false, false, true, true, false, true],
            "who knows the future does not keep what is never wanted again")
        try expect(
            hits(trace, Belady(capacity: 1, trace: trace)).count { $0 } == 2,
            "and keeps what is wanted next, where there is room for one")
    }

    private static func sizesCount() throws {
        let trace = Trace("sizes", requests: [0, 1, 0, 1], sizes: [3, 1])
        try expect(hits(trace, PlainLRU(capacity: 3)) == Array(repeating: false, count: 4), "sizes, recency")
        let ratio = HitRatio(of: trace, in: Belady(capacity: 3, trace: trace))
        try expect(ratio.objects == 0.25, "one of four requests")
        try expect(ratio.bytes == 0.375, "three of eight bytes")
        try expect(ratio.cost == 200_003 / 800_008, "a fixed cost and three bytes, of four and eight")
        try expect(
            !hits(trace, PlainLRU(capacity: 2)).prefix(3).contains(true), "what is too big is not stored")
    }

    private static func theLibraryAgrees() throws {
        var (maker, again) = (TraceMaker(seed: 1, length: 20_000), TraceMaker(seed: 1, length: 20_000))
        for (trace, same) in zip(maker.all(), again.all()) {
            try expect(trace.requests == same.requests && trace.sizes == same.sizes, "a seed is a trace")
            try expect(trace.sizes.allSatisfy { (4_000...20_000_000).contains($0) }, "sizes of \(trace.name)")
            let capacity = trace.footprint / 20
            let library = BackendReplay(
                .leastRecentlyUsed, capacity: capacity, keys: BackendReplay.keys(of: trace))
            try expect(
                hits(trace, library) == hits(trace, PlainLRU(capacity: capacity)),
                "the library's recency and the plain one differ on \(trace.name)")
        }
    }
}
