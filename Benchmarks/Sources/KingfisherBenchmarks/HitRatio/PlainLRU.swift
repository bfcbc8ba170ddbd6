/// A simple LRU cache, with which the row compares.
///
/// Shares no code with the library.
struct PlainLRU: Replay {
    private struct Use {
        let image: Int32
        let size: Int
        let time: Int
    }

    private let capacity: Int
    private var stored = 0
    private var time = 0
    /// All accesses in order; one that is not the last of its image is skipped.
    private var uses: [Use] = []
    private var oldest = 0
    private var lastUses: [Int32: Int] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func request(_ image: Int32, size: Int) -> Bool {
        time += 1
        let isHit = lastUses[image] != nil
        guard size <= capacity else { return false }
        if !isHit { stored += size }
        lastUses[image] = time
        uses.append(Use(image: image, size: size, time: time))
        while stored > capacity {
            let use = uses[oldest]
            oldest += 1
            guard lastUses[use.image] == use.time else { continue }
            lastUses[use.image] = nil
            stored -= use.size
        }
        return isHit
    }
}
