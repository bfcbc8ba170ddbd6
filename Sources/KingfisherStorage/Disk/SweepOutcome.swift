/// What became of removing many files.
package struct SweepOutcome: Sendable, Equatable {
    /// The names of those that are gone, in the order of their removal.
    package internal(set) var removed: [String] = []
    /// The first of what failed, if anything did.
    package internal(set) var failure: DiskStorageFailure?

    func get() throws(DiskStorageFailure) -> [String] {
        if let failure { throw failure }
        return removed
    }
}
