import Kingfisher

struct TimedLoad {
    let cacheType: CacheType
    let milliseconds: Double
}

struct TimedLoads {
    let sample: ProcessorSample
    private(set) var loads: [TimedLoad] = []

    /// Loads a photo with each processor: from the server, from disk, and from memory.
    static func measure(from server: PhotoServer) async throws -> [TimedLoads] {
        var all = ProcessorSample.all.map { TimedLoads(sample: $0) }
        let manager = KingfisherManager.shared
        for expected in [CacheType.none, .disk, .memory] {
            if expected == .disk {
                // The size is available only after pending writes have completed.
                _ = try await manager.cache.diskStorageSize
                manager.cache.clearMemoryCache()
            }
            for index in all.indices {
                // Different URLs, because equal downloads in quick succession are deduplicated.
                let url = server.directURL(of: .astronaut, copy: "\(index)")
                try await all[index].load(url, through: manager, from: expected)
            }
        }
        return all
    }

    private mutating func load(
        _ url: URL, through manager: KingfisherManager, from expected: CacheType
    ) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try await manager.retrieveImage(with: url, options: sample.options)
        let time = clock.now - start
        guard result.cacheType == expected else {
            throw Failure("\(sample.title): loaded from \(result.cacheType) instead of \(expected)")
        }
        loads.append(TimedLoad(cacheType: result.cacheType, milliseconds: time / .milliseconds(1)))
    }
}
