import Foundation
import Glibc
import KingfisherImage
import KingfisherStorage

/// An image file that is held open, and its bytes. Safe from any thread.
///
/// The bytes are mapped if no other program may write them in place, which decoders must not see. Otherwise a
/// small file is read, and a large one copied to a file without a name, which is mapped.
final class TileFile: Sendable {
    /// The most bytes that are read into memory.
    private static let maximumBytesInMemory = 32 << 20
    private static let pieceBytes = 1 << 20

    let url: URL
    let data: Data
    private let descriptor: CInt
    private let version: FileVersion
    /// Whether it is an entry of the disk cache, whose times change, and whose bytes do not.
    private let isCached: Bool
    private let copy: TileSpace.Reservation?

    /// Opens the file of a path, following links.
    convenience init(_ url: URL, _ folder: BodyFolder, _ space: TileSpace) throws {
        guard let path = LocalFilePath(url) else { throw CocoaError(.fileReadInvalidFileName) }
        // Without O_NONBLOCK, opening a pipe would block until it has a writer.
        let descriptor = path.withCString { Glibc.open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw SystemError(.open, code: errno, path: url.path) }
        try self.init(adopting: descriptor, isCached: false, url, folder, space)
    }

    /// Reads an open file, which it closes.
    init(
        adopting descriptor: CInt, isCached: Bool, _ url: URL, _ folder: BodyFolder, _ space: TileSpace
    ) throws {
        self.isCached = isCached
        do {
            guard let version = FileVersion(descriptor: descriptor) else {
                throw CocoaError(.fileReadUnknown)
            }
            (data, copy) = try Self.bytes(of: descriptor, version.size, folder, space)
            self.version = version
        } catch {
            close(descriptor)
            throw error
        }
        (self.url, self.descriptor) = (url, descriptor)
    }

    deinit { close(descriptor) }

    /// Throws `fileChanged` if the file is not the one that was opened. A file that replaces it at its path
    /// makes no difference.
    func check() throws(TiledImageError) {
        let now = FileVersion(descriptor: descriptor)
        guard isCached ? now?.size == version.size : now == version else { throw .fileChanged }
    }

    private static func bytes(
        of descriptor: CInt, _ count: Int, _ folder: BodyFolder, _ space: TileSpace
    ) throws -> (Data, TileSpace.Reservation?) {
        if let mapped = FileMapping.contents(of: descriptor) { return (mapped, nil) }
        if count <= maximumBytesInMemory {
            var data = Data(capacity: count)
            try forEachPiece(of: descriptor, count) { data.append(contentsOf: $0) }
            return (data, nil)
        }
        let room = try space.reserve(count)
        let file = try folder.makeFile()
        try forEachPiece(of: descriptor, count) { try file.append($0) }
        return (try file.mappedBytes(count), room)
    }

    private static func forEachPiece(
        of descriptor: CInt, _ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(byteCount: pieceBytes, alignment: 16) { buffer in
            var offset = 0
            while offset < count {
                let read = pread(descriptor, buffer.baseAddress, min(buffer.count, count - offset), offset)
                if read < 0, errno == EINTR { continue }
                guard read >= 0 else { throw SystemError(.read, code: errno, path: "") }
                guard read > 0 else { throw TiledImageError.fileChanged }
                try body(UnsafeRawBufferPointer(rebasing: buffer[..<read]))
                offset += read
            }
        }
    }
}

extension BodyFile {
    /// The bytes of a file that has no name, which is closed. Throws if it cannot be mapped.
    func mappedBytes(_ count: Int) throws -> Data {
        let data = bytes
        close()
        guard data.count == count else { throw SystemError(.map, code: ENOMEM, path: "") }
        return data
    }
}
