import Kingfisher

/// Where an image came from, and how long that took.
struct TimedLoad {
    let cacheType: CacheType
    let milliseconds: Double
}

/// One image, loaded three times.
struct TimedLoads {
    let sample: ProcessorSample
    private(set) var loads: [TimedLoad] = []

    /// Loads a photograph through each processor: from the server, from disk, from memory.
    static func measure(from server: PhotoServer) async throws -> [TimedLoads] {
        var all = ProcessorSample.all.map { TimedLoads(sample: $0) }
        let manager = KingfisherManager.shared
        for expected in [CacheType.none, .disk, .memory] {
            if expected == .disk {
                // The size is known once all that was stored before has been written.
                _ = try await manager.cache.diskStorageSize
                manager.cache.clearMemoryCache()
            }
            for index in all.indices {
                // An address for each, as equal downloads in quick succession share their work.
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
            throw Failure("\(sample.title): came from \(result.cacheType) instead of \(expected)")
        }
        loads.append(TimedLoad(cacheType: result.cacheType, milliseconds: time / .milliseconds(1)))
    }
}
