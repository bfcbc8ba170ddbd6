package import Foundation
import Glibc
import Synchronization

/// An entry that is held open. Its bytes stay readable until it is released.
///
/// A file is complete before it gets its name and is never written to again. So only damage changes its
/// bytes: a truncated file fails every read of the missing part, and `verify` or reading all pieces
/// (`EntryPieces`) finds other damage. Damage that is found removes the entry, as loading it does.
///
/// Safe from any thread. Every call does its I/O on the caller's thread.
package final class OpenEntry: Sendable {
    package let path: String
    package let byteCount: Int
    /// When the payload was stored; nil if the file has lost its attribute.
    package let storedAt: Date?
    /// XXH3-64 of the payload; nil if the file has lost its attribute.
    package let checksum: UInt64?
    package let records: [EntryRecord]

    private let file: FileDescriptor
    private let fileSystem: FileSystem
    private let verifies: Bool
    private let discard: @Sendable () -> Void

    private static let verifiedPiece = 256 << 10

    init(
        _ file: consuming FileDescriptor, _ fileSystem: FileSystem, path: String, byteCount: Int,
        storedAt: Date?, checksum: UInt64?, verifies: Bool, records: [EntryRecord],
        discard: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.fileSystem = fileSystem
        (self.path, self.byteCount, self.storedAt) = (path, byteCount, storedAt)
        (self.checksum, self.verifies, self.records) = (checksum, verifies, records)
        self.discard = discard
    }

    /// Only valid during the call.
    package func withDescriptor<Value, Failure: Error>(
        _ body: (CInt) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(file.raw)
    }

    /// Reads bytes of the entry. A range beyond the entry is clamped to it.
    ///
    /// - Throws: Code `EIO` if the file was truncated after it was opened.
    package func read(_ range: Range<Int>) throws(SystemError) -> Data {
        let range = range.clamped(to: 0..<byteCount)
        guard !range.isEmpty else { return Data() }
        guard let room = malloc(range.count) else { throw SystemError(.read, code: ENOMEM, path: "") }
        do {
            try fill(UnsafeMutableRawBufferPointer(start: room, count: range.count), at: range.lowerBound)
        } catch {
            free(room)
            throw error
        }
        return Data(bytesNoCopy: room, count: range.count, deallocator: .free)
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) {
        guard try fileSystem.read(into: buffer, from: file, at: offset) == buffer.count else {
            discard()
            throw SystemError(.read, code: EIO, path: path)
        }
    }

    /// Reads the entry and compares it with its checksum. True for a file without an attribute.
    ///
    /// - Throws: If the file cannot be read or was truncated.
    package func verify() throws(SystemError) -> Bool {
        guard let checksum else { return true }
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(byteCount, Self.verifiedPiece), alignment: 16)
        defer { room.deallocate() }
        var running = try RunningChecksum()
        var offset = 0
        while offset < byteCount {
            let piece = UnsafeMutableRawBufferPointer(rebasing: room.prefix(byteCount - offset))
            try fill(piece, at: offset)
            running.append(UnsafeRawBufferPointer(piece))
            offset += piece.count
        }
        guard running.value != checksum else { return true }
        discard()
        return false
    }

    /// Reads a range in pieces; nil for the whole entry, which is verified unless the settings forbid it.
    package func pieces(of range: Range<Int>?) -> EntryPieces {
        let all = 0..<byteCount
        let range = range?.clamped(to: all) ?? all
        return EntryPieces(of: self, range, checksum: verifies && range == all ? checksum : nil)
    }

    fileprivate func noteDamage() -> SystemError {
        discard()
        // Linux reports wrong checksums of file systems with this code.
        return SystemError(.read, code: EBADMSG, path: path)
    }
}

/// Reads a range of an open entry from its start to its end.
///
/// The last piece of a verified entry is returned only if the checksum is correct, so a reader never gets a
/// complete damaged file. Safe from any thread; concurrent calls get different pieces.
package final class EntryPieces: Sendable {
    private struct State: ~Copyable {
        var offset: Int
        var running: RunningChecksum?
    }

    private let entry: OpenEntry
    private let range: Range<Int>
    private let checksum: UInt64?
    private let state: Mutex<State>

    fileprivate init(of entry: OpenEntry, _ range: Range<Int>, checksum: UInt64?) {
        (self.entry, self.range, self.checksum) = (entry, range, checksum)
        state = Mutex(State(offset: range.lowerBound, running: nil))
    }

    /// The next bytes, at most `count`; nil at the end and after an error.
    ///
    /// - Throws: Code `EBADMSG` if the checksum is wrong, and as `OpenEntry.read`.
    package func next(_ count: Int) throws(SystemError) -> Data? {
        try state.withLock { (state) throws(SystemError) -> Data? in
            let offset = state.offset
            guard offset < range.upperBound else { return nil }
            let end = offset + min(max(count, 1), range.upperBound - offset)
            // The end, if this call throws.
            state.offset = range.upperBound
            let piece = try entry.read(offset..<end)
            if let checksum { try verify(piece, against: checksum, isLast: end == range.upperBound, &state) }
            state.offset = end
            return piece
        }
    }

    private func verify(
        _ piece: Data, against checksum: UInt64, isLast: Bool, _ state: inout State
    ) throws(SystemError) {
        if state.running == nil { state.running = try RunningChecksum() }
        piece.withUnsafeBytes { state.running?.append($0) }
        if isLast, state.running?.value != checksum { throw entry.noteDamage() }
    }
}
