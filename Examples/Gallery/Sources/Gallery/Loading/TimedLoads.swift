import Kingfisher

/// Where a picture came from, and how long that took.
struct TimedLoad {
    let cacheType: CacheType
    let milliseconds: Double
}

/// One picture, loaded three times.
struct TimedLoads {
    let exhibit: Exhibit
    private(set) var image = Image()
    private(set) var loads: [TimedLoad] = []

    init(_ exhibit: Exhibit) {
        self.exhibit = exhibit
    }

    /// Loads every picture through `manager`: from the server, from disk, from memory.
    static func measure(
        _ exhibits: [Exhibit], from server: PhotoServer, through manager: KingfisherManager
    ) async throws -> [TimedLoads] {
        var all = exhibits.map(TimedLoads.init)
        for expected in [CacheType.none, .disk, .memory] {
            if expected == .disk {
                // The size is known once all that was stored before has been written.
                _ = try await manager.cache.diskStorageSize
                manager.cache.clearMemoryCache()
            }
            for index in all.indices {
                try await all[index].load(from: server, through: manager, expecting: expected)
            }
        }
        return all
    }

    private mutating func load(
        from server: PhotoServer, through manager: KingfisherManager, expecting expected: CacheType
    ) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try await manager.retrieveImage(with: server.url(of: exhibit), options: exhibit.options)
        let time = clock.now - start
        guard result.cacheType == expected else {
            throw Failure("\(exhibit.file) came from \(result.cacheType) instead of \(expected)")
        }
        image = result.image
        loads.append(TimedLoad(cacheType: result.cacheType, milliseconds: time / .milliseconds(1)))
    }
}

extension TimedLoad {
    /// Such as `disk     1.304 ms`; all as long as each other.
    var text: String {
        "\(cacheType)".padded(to: 6) + String(format: "%8.3f ms", milliseconds)
    }
}

extension String {
    /// The text with spaces behind it, up to `count` characters.
    func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(count - self.count, 0))
    }
}
