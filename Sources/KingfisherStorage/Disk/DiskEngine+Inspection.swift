import Foundation
import Glibc

/// A look at the folder that changes nothing in it and keeps nobody waiting: no lane is taken, so what others
/// store or remove meanwhile may or may not be seen. Works before `prepare()`, too.
extension DiskEngine {
    /// Calls `body` with every name in the folder but those of unfinished files, in no order. One `stat` for
    /// each, and reading the attribute of each entry. A folder that is not there holds nothing.
    ///
    /// - Throws: `cannotEnumerate`, and what `body` throws, which ends the walk.
    package func inspect(named naming: FileNaming, _ body: (InspectedItem) throws -> Void) throws {
        let folder: FileDescriptor
        do {
            try fileSystem.refuseForeignLink(directory)
            folder = try fileSystem.openFolder(directory, followingLinks: true)
        } catch {
            if error.code == ENOENT { return }
            throw DiskStorageFailure.cannotEnumerate(path: directory, error)
        }
        let descriptor = folder.raw
        var thrown: (any Error)?
        do {
            try fileSystem.forEachEntry(of: folder) { entry throws(SystemError) in
                guard let item = item(entry, in: descriptor, named: naming) else { return }
                do {
                    try body(item)
                } catch {
                    thrown = error
                    throw SystemError(.list, code: ECANCELED, path: directory)
                }
            }
        } catch {
            throw thrown ?? DiskStorageFailure.cannotEnumerate(path: directory, error)
        }
    }

    /// What stands under a name; nil for what is gone already or not finished.
    private func item(_ entry: FolderEntry, in folder: CInt, named naming: FileNaming) -> InspectedItem? {
        guard let name = String(validatingCString: entry.name) else {
            return .foreign(name: String(cString: entry.name))
        }
        if name.hasPrefix(StagingFolder.hiddenPrefix) { return nil }
        guard naming.recognizes(name) else { return .foreign(name: name) }
        do {
            let status = try fileSystem.status(of: entry.name, in: folder)
            guard status.kind == .regular else { return .foreign(name: name) }
            return .entry(
                InspectedEntry(
                    fileName: name, status: status, access: pending.access(of: EntryName(checked: name)),
                    attribute: attribute(of: name), now: clock.now))
        } catch {
            return error.code == ENOENT ? nil : .foreign(name: name)
        }
    }

    /// Nil where there is none that can be read.
    private func attribute(of name: String) -> EntryAttribute? {
        guard let file = try? fileSystem.openForReading(path(of: name)),
            let bytes = try? fileSystem.attribute(EntryAttribute.name, of: file),
            case .valid(let attribute) = EntryAttribute.read(bytes)
        else { return nil }
        return attribute
    }

    /// Compares an entry with what its attribute says of it; nil when it is gone.
    ///
    /// Reads the whole file, in pieces, without noting an access.
    package func condition(of entry: InspectedEntry) -> EntryCondition? {
        do {
            let file = try fileSystem.openForReading(path(of: entry.fileName))
            let status = try fileSystem.status(of: file)
            guard status.kind == .regular else { return nil }
            guard status.size > 0 else { return .empty }
            switch EntryAttribute.read(try fileSystem.attribute(EntryAttribute.name, of: file)) {
            case .unknown: return .withoutChecksum
            case .damaged: return .damaged
            case .valid(let attribute):
                guard attribute.payloadLength == UInt64(status.size) else { return .damaged }
                return attribute.checksum == (try checksum(of: file)) ? .intact : .damaged
            }
        } catch {
            return error.code == ENOENT ? nil : .unreadable(error)
        }
    }

    private func checksum(of file: borrowing FileDescriptor) throws(SystemError) -> UInt64 {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { room.deallocate() }
        var checksum = try RunningChecksum()
        while true {
            let count = try fileSystem.read(into: room, from: file)
            checksum.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
            if count < room.count { return checksum.value }
        }
    }

    /// Removes an entry, unless another has been stored in its place or it has been renewed since it was
    /// inspected; says whether it did.
    ///
    /// - Throws: `cannotRemove`.
    package func remove(_ entry: InspectedEntry) throws(DiskStorageFailure) -> Bool {
        try remove(EntryName(checked: entry.fileName)) { status, access in
            guard let status, status.kind == .regular else { return false }
            return entry.identity.isOf(status, access)
        }
    }

    private func path(of name: String) -> String { directory + "/" + name }
}
