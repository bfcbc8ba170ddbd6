@testable import KingfisherStorage

extension FolderTally {
    /// Ends a scan that found these entries.
    mutating func endScan(_ seen: [ScannedName]) {
        var found = ScanResult()
        for one in seen { found.add(one) }
        endScan(found)
    }
}
