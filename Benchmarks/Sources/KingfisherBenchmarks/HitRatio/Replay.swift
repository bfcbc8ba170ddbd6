/// A cache that replays a trace.
protocol Replay {
    /// Looks an image up and stores it after a miss. Returns whether it was a hit.
    mutating func request(_ image: Int32, size: Int) -> Bool
}

/// The hit ratios of a cache on a trace.
struct HitRatio {
    /// By number of requests.
    let objects: Double
    /// By bytes.
    let bytes: Double
    /// By cost of misses: a fixed part for each, plus the bytes.
    let cost: Double

    init(of trace: Trace, in replay: some Replay) {
        var replay = replay
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for image in trace.requests {
            let size = trace.sizes[Int(image)]
            bytes += size
            guard replay.request(image, size: size) else { continue }
            hits += 1
            hitBytes += size
        }
        let requests = trace.requests.count
        objects = Double(hits) / Double(requests)
        self.bytes = Double(hitBytes) / Double(bytes)
        cost =
            Double(hits * Trace.fixedCost + hitBytes) / Double(requests * Trace.fixedCost + bytes)
    }
}
