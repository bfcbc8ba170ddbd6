/// A cache that a trace is played to.
protocol Replay {
    /// Looks an image up and, when it is not there, stores it; whether it was there.
    mutating func request(_ image: Int32, size: Int) -> Bool
}

/// The hits of a cache on a trace, as parts of what there was to hit.
struct HitRatio {
    /// Of the requests.
    let objects: Double
    /// Of their bytes.
    let bytes: Double
    /// Of what misses would have cost: a fixed part for each, and the bytes.
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
