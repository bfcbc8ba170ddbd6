/// What can be changed while an engine runs.
package struct DiskSettings: Sendable, Equatable {
    /// Bytes that all entries may take; zero for no limit.
    package var sizeLimit: UInt64
    /// Whether a store returns only when its file would outlive a power cut.
    package var syncsWrites: Bool
    /// Whether what is read is compared with the checksum of what was stored; lengths always are.
    package var verifiesChecksum: Bool
    /// Whether the names of entries are kept in memory.
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
