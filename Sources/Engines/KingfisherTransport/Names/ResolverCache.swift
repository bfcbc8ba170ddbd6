struct ResolverCache {
    private struct Entry {
        let addresses: [IPAddress]
        let expiry: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]
    let lifetime: Duration
    let capacity: Int

    init(lifetime: Duration, capacity: Int = 256) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    var count: Int { entries.count }

    func addresses(of name: String, at time: ContinuousClock.Instant) -> [IPAddress]? {
        guard let entry = entries[name], entry.expiry > time else { return nil }
        return entry.addresses
    }

    mutating func insert(_ addresses: [IPAddress], for name: String, at time: ContinuousClock.Instant) {
        if entries[name] == nil, entries.count >= capacity {
            entries = entries.filter { $0.value.expiry > time }
            if entries.count >= capacity, let oldest = entries.min(by: { $0.value.expiry < $1.value.expiry })
            {
                entries[oldest.key] = nil
            }
        }
        entries[name] = Entry(addresses: addresses, expiry: time + lifetime)
    }
}
