package struct DiskSettings: Sendable, Equatable {
    /// The maximum size of all entries in bytes; zero for no limit.
    package var sizeLimit: UInt64
    /// Whether a store returns only after its file would survive a power failure.
    package var syncsWrites: Bool
    package var verifiesChecksum: Bool
    /// Whether the names of the entries are held in memory, to answer misses without disk access.
    package var filtersNames: Bool

    package init(
        sizeLimit: UInt64 = 0, syncsWrites: Bool = false, verifiesChecksum: Bool = true,
        filtersNames: Bool = true
    ) {
        self.sizeLimit = sizeLimit
        self.syncsWrites = syncsWrites
        self.verifiesChecksum = verifiesChecksum
        self.filtersNames = filtersNames
    }
}
