extension ImageCache: MemoryPressureResponder {
    /// Releases memory: at low pressure half of the total cost, at medium three quarters, at critical
    /// everything.
    ///
    /// Expired values are removed first, then others in the order of the eviction policy. The disk is not
    /// affected.
    public func relieve(_ level: MemoryPressure) {
        relief.relieve(level)
    }
}

/// The responder that a cache registers in its place: reference counting of an object with weak references
/// takes twice as long, and every request retains its cache.
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
        case .low: divideCost(by: 2)
        case .medium: divideCost(by: 4)
        case .critical: removeAll()
        }
    }

    private func divideCost(by divisor: Int) {
        let cost = totalCacheCost()
        removeExpired()
        trim(toCost: cost / divisor)
    }
}
