import Kingfisher

/// The library's cache, measured through its public storage.
struct BackendReplay: Replay {
    private struct Image: CacheCostCalculable, Sendable {
        let cacheCost: Int
    }

    private let storage: MemoryStorage.Backend<Image>
    private let keys: [String]

    /// `keys` are the keys of the trace's images, by number.
    init(_ policy: MemoryStorage.EvictionPolicy, capacity: Int, keys: [String]) {
        var config = MemoryStorage.Config(totalCostLimit: capacity, cleanInterval: 0)
        config.evictionPolicy = policy
        storage = MemoryStorage.Backend(config: config)
        self.keys = keys
    }

    func request(_ image: Int32, size: Int) -> Bool {
        let key = keys[Int(image)]
        if storage.value(forKey: key) != nil { return true }
        storage.store(value: Image(cacheCost: size), forKey: key, expiration: .never)
        return false
    }

    static func keys(of trace: Trace) -> [String] {
        trace.sizes.indices.map { "https://images.example.org/\($0).jpg" }
    }
}
