package import Glibc

package struct DiskSettings: Sendable, Equatable {
    /// The maximum size of all entries in bytes; zero for no limit.
    package var sizeLimit: UInt64
    /// Whether a store returns only after its file would survive a power failure.
    package var syncsWrites: Bool
    package var verifiesChecksum: Bool
    /// Whether the names of the entries are held in memory, to answer misses without disk access.
    package var filtersNames: Bool
    /// Permissions of the folders that are made, without those in the process's umask.
    package var folderMode: mode_t
    /// Permissions of new files, in addition to the read permissions of their folder.
    package var fileMode: mode_t

    package init(
        sizeLimit: UInt64 = 0, syncsWrites: Bool = false, verifiesChecksum: Bool = true,
        filtersNames: Bool = true, folderMode: mode_t = 0o700, fileMode: mode_t = 0o600
    ) {
        self.sizeLimit = sizeLimit
        self.syncsWrites = syncsWrites
        self.verifiesChecksum = verifiesChecksum
        self.filtersNames = filtersNames
        self.folderMode = folderMode
        self.fileMode = fileMode
    }
}
