package import Foundation

/// Removing entries by what their attributes record.
extension DiskEngine {
    /// Removes the entries of a selection that were stored before or at a date, and returns their files'
    /// names.
    ///
    /// One system call for each file that stays. Goes through the whole folder before it throws the first
    /// failure.
    package func removeEntries(
        in selection: EntrySelection, storedUntil date: Date
    ) throws(DiskStorageFailure) -> [String] {
        guard let folder = try openDirectory() else { return [] }
        var outcome = SweepOutcome()
        try enumerate(folder) { entry in
            guard !entry.isHidden, !entry.isKnownFolder, let string = String(validatingCString: entry.name),
                records(ofFile: string, storedUntil: date).map(selection.contains) == true
            else { return }
            let inode = entry.inode
            do throws(DiskStorageFailure) {
                let isRemoved = try remove(EntryName(checked: string)) { status, _ in
                    status?.kind == .regular && status?.inode == inode
                }
                if isRemoved { outcome.removed.append(string) }
            } catch {
                outcome.failure = outcome.failure ?? error
            }
        }
        return try outcome.get()
    }

    private func records(ofFile name: String, storedUntil date: Date) -> [EntryRecord]? {
        guard let bytes = try? fileSystem.attribute(EntryAttribute.name, ofPath: directory + "/" + name),
            case .valid(let attribute) = EntryAttribute.read(bytes),
            // A moment that is still to come is one from before the clock was set back.
            attribute.storedAt <= date || attribute.storedAt > clock.now
        else { return nil }
        return attribute.records
    }
}
