extension ImageCache: MemoryPressureResponder {
    /// Gives memory back: at low pressure half of what it holds, at medium three quarters, at critical
    /// everything.
    ///
    /// What has expired goes first, then what the eviction policy says. The disk is left alone.
    public func relieve(_ level: MemoryPressure) {
        relief.relieve(level)
    }
}

/// What is registered for a cache. Counting references to an object that is held weakly takes twice as long,
/// and every request counts those to its cache.
final class MemoryRelief: MemoryPressureResponder {
    private let images: MemoryStorage.Backend<KFCrossPlatformImage>
    private let encoded: MemoryStorage.Backend<EncodedImage>

    init(
        _ images: MemoryStorage.Backend<KFCrossPlatformImage>, _ encoded: MemoryStorage.Backend<EncodedImage>
    ) {
        (self.images, self.encoded) = (images, encoded)
    }

    func relieve(_ level: MemoryPressure) {
        images.relieve(level)
        encoded.relieve(level)
    }
}

extension MemoryStorage.Backend {
    fileprivate func relieve(_ level: MemoryPressure) {
        switch level {
        case .low: keep(oneIn: 2)
        case .medium: keep(oneIn: 4)
        case .critical: removeAll()
        }
    }

    private func keep(oneIn divisor: Int) {
        let cost = totalCacheCost()
        removeExpired()
        trim(toCost: cost / divisor)
    }
}
