extension ImageCache: MemoryPressureResponder {
    /// Gives memory back: at low pressure half of what it holds, at medium three quarters, at critical everything.
    ///
    /// What has expired goes first, then the least recently used. The disk is left alone.
    public func relieve(_ level: MemoryPressure) {
        switch level {
        case .low: keepInMemory(oneIn: 2)
        case .medium: keepInMemory(oneIn: 4)
        case .critical: clearMemoryCache()
        }
    }

    private func keepInMemory(oneIn divisor: Int) {
        let cost = memoryStorage.totalCacheCost()
        memoryStorage.removeExpired()
        memoryStorage.trim(toCost: cost / divisor)
    }
}
