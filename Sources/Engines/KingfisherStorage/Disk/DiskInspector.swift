import Foundation
import Glibc

/// Inspects the folder without changing it and without taking an entry's lock.
final class DiskInspector: Sendable {
    private let folder: CacheFolder
    private let fileSystem: FileSystem
    private let accounting: FolderAccounting
    private let clock: any StorageClock

    init(_ folder: CacheFolder, _ accounting: FolderAccounting, clock: any StorageClock) {
        fileSystem = folder.fileSystem
        (self.folder, self.accounting, self.clock) = (folder, accounting, clock)
    }

    func inspect(named naming: FileNaming, _ body: (InspectedItem) throws -> Void) throws {
        let opened: FileDescriptor
        do {
            opened = try fileSystem.openCacheFolder(folder.directory)
        } catch {
            if error.code == ENOENT { return }
            throw DiskStorageFailure.cannotEnumerate(path: folder.directory, error)
        }
        let descriptor = opened.raw
        var thrown: (any Error)?
        do {
            try fileSystem.forEachEntry(of: opened) { entry throws(SystemError) in
                guard let item = item(entry, in: descriptor, named: naming) else { return }
                do {
                    try body(item)
                } catch {
                    thrown = error
                    throw SystemError(.list, code: ECANCELED, path: folder.directory)
                }
            }
        } catch {
            throw thrown ?? DiskStorageFailure.cannotEnumerate(path: folder.directory, error)
        }
    }

    private func item(_ entry: FolderEntry, in parent: CInt, named naming: FileNaming) -> InspectedItem? {
        guard let name = String(validatingCString: entry.name) else {
            return .foreign(name: String(cString: entry.name))
        }
        if name.hasPrefix(StagingFolder.hiddenPrefix) { return nil }
        guard naming.recognizes(name) else { return .foreign(name: name) }
        do {
            let status = try fileSystem.status(of: entry.name, in: parent)
            guard status.kind == .regular else { return .foreign(name: name) }
            return .entry(
                InspectedEntry(
                    fileName: name, status: status, access: accounting.access(of: EntryName(checked: name)),
                    attribute: fileSystem.isForeign(status) ? nil : attribute(of: name), now: clock.now))
        } catch {
            return error.code == ENOENT ? nil : .foreign(name: name)
        }
    }

    private func attribute(of name: String) -> EntryAttribute? {
        guard let file = try? fileSystem.openForReading(folder.path(ofFile: name)),
            let bytes = try? fileSystem.attribute(EntryAttribute.name, of: file),
            case .valid(let attribute) = EntryAttribute.read(bytes)
        else { return nil }
        return attribute
    }

    func condition(of entry: InspectedEntry) -> EntryCondition? {
        do {
            let file = try fileSystem.openForReading(folder.path(ofFile: entry.fileName))
            let status = try fileSystem.status(of: file)
            guard status.kind == .regular else { return nil }
            if fileSystem.isForeign(status) {
                return .unreadable(SystemError(.open, code: EPERM, path: folder.path(ofFile: entry.fileName)))
            }
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
}
