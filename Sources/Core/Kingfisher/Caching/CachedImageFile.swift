public import Foundation
import KingfisherConcurrency
public import KingfisherImage
import KingfisherStorage
import KingfisherTransport

/// A file of the disk cache that is held open, for servers that send it without loading it.
///
/// The bytes stay readable until this object is released, even if the image is evicted, replaced, removed or
/// expires in the meantime. Each object holds one file descriptor. Safe from any thread.
///
///     if let file = try await ImageCache.default.openFile(forKey: url.cacheKey) {
///         for try await chunk in file.chunks() { print(chunk.count) }
///     }
///
/// The length of the file was checked when it was opened; its checksum was not, because that would read all
/// of it. ``chunks(of:range:)`` checks the whole file on the way, and ``verify()`` in advance. Damage that is
/// found removes the image from the disk, so that the next request loads it again.
public final class CachedImageFile: Sendable {
    typealias Opening = Result<CachedImageFile?, KingfisherError>

    /// The number of bytes of the file.
    public let byteCount: Int
    /// The format of the file by its first bytes; `.unknown` if no registered codec reads it.
    public let format: ImageFormat
    private let codec: (any ImageCodec)?

    let freshness: HTTPFreshness?
    private let entry: OpenEntry

    /// The number of bytes in which codecs look for the format. APNG files have its mark behind other chunks.
    private static let signatureBytes = 16 << 10

    /// Pieces are read here, off the threads of Swift concurrency. Shared, so that a slow disk occupies a
    /// limited number of threads.
    private static let queue = KeyedQueue(label: "com.onevcat.Kingfisher.files")

    /// Reads the first bytes, on this thread.
    init(_ entry: OpenEntry) throws(KingfisherError) {
        self.entry = entry
        byteCount = entry.byteCount
        freshness = HTTPFreshness(entry.records)
        let start = try entry.reading { entry throws(SystemError) in
            try entry.read(0..<Self.signatureBytes)
        }
        codec = ImageCodecs.codec(for: start)
        format = codec?.format ?? .unknown
    }

    /// The media type to serve the file with, such as `image/jpeg`; nil if no registered codec reads it.
    ///
    /// It is `application/octet-stream` for an SVG: a browser that opens the URL of a file with
    /// `image/svg+xml` runs the scripts in it, with the rights of your site.
    public var mediaType: String? { mediaType(allowingScripts: false) }

    /// The media type of the file, also if browsers run scripts in it; for files that you trust, or with a
    /// `Content-Security-Policy` that forbids scripts.
    public func mediaType(allowingScripts: Bool) -> String? {
        ServedMediaType.of(codec, allowsScripts: allowingScripts)
    }

    /// When the image was stored, or last confirmed by its server; nil if the file has lost its extended
    /// attribute.
    public var storedAt: Date? { entry.storedAt }

    /// A strong HTTP entity tag with its quotation marks, made of length and checksum. Equal files have equal
    /// tags, on all machines. Nil if the file has lost its extended attribute.
    public var entityTag: String? {
        entry.checksum.map { EntityTag.text(checksum: $0, byteCount: byteCount) }
    }

    /// A URL below `/proc/self/fd`, for code that opens files by path.
    ///
    /// Only valid in this process and while this object lives: afterwards the URL may refer to any other
    /// file. Opening it opens the file again, with a separate position. Code that refuses symbolic links
    /// cannot open it; see ``withFileDescriptor(_:)``.
    public var fileURL: URL {
        entry.withDescriptor { URL(filePath: "/proc/self/fd/\($0)", directoryHint: .notDirectory) }
    }

    /// Calls `body` with the file descriptor, for `sendfile` and similar calls.
    ///
    /// The descriptor is read-only and only valid during the call; `dup` makes one that stays. Its position
    /// is shared by all users, so pass offsets. `body` must not close it.
    public func withFileDescriptor<Value, Failure: Error>(
        _ body: (CInt) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try entry.withDescriptor(body)
    }

    /// Reads bytes, on the caller's thread. Returns fewer than `count` at the end of the file, and none for a
    /// negative offset or count.
    ///
    /// Throws `cannotLoadDataFromDisk` if the disk fails, or if another program has truncated the file.
    public func read(offset: Int = 0, count: Int) throws(KingfisherError) -> Data {
        guard offset >= 0, count > 0, offset < byteCount else { return Data() }
        let end = offset + min(count, byteCount - offset)
        return try entry.reading { entry throws(SystemError) in try entry.read(offset..<end) }
    }

    /// Reads the whole file in the background and compares it with the checksum that was stored with it. True
    /// for a file that has lost its extended attribute.
    ///
    /// If it returns false, the image was removed from the disk. Throws `cannotLoadDataFromDisk` if the disk
    /// fails, or if another program has truncated the file.
    public func verify() async throws(KingfisherError) -> Bool {
        try await inBackground { entry throws(SystemError) in try entry.verify() }
    }

    /// The bytes of the file, or of a range of it, in pieces of at most `size` bytes.
    ///
    /// Each iterator starts at the beginning. A piece is read in the background when it is asked for, so
    /// memory holds one piece for each consumer. The whole file is compared with its checksum meanwhile,
    /// unless `DiskStorage.Config.verifiesChecksum` is false: the last piece of a damaged file is not
    /// delivered, so that a server ends the response early instead of completing it. A part of the file is
    /// not verified.
    ///
    /// Throws `cannotLoadDataFromDisk` if the checksum is wrong, if the disk fails, or if another program has
    /// truncated the file, and `asyncTaskContextCancelled` if the task is cancelled.
    ///
    /// - Parameter range: The bytes to read; clamped to the file. Nil for all.
    public func chunks(of size: Int = 64 << 10, range: Range<Int>? = nil) -> Chunks {
        Chunks(file: self, size: size, range: range)
    }

    func pieces(of range: Range<Int>?) -> EntryPieces { entry.pieces(of: range) }

    /// Reads on a queue. Different open files may be read at the same time.
    func inBackground<Value: Sendable>(
        _ read: @escaping @Sendable (OpenEntry) throws(SystemError) -> Value
    ) async throws(KingfisherError) -> Value {
        let outcome: Result<Value, KingfisherError> = await withCheckedContinuation { continuation in
            Self.queue.run(key: entry.withDescriptor { "\($0)" }) { [entry] in
                continuation.resume(
                    returning: Result { () throws(KingfisherError) in try entry.reading(read) })
            }
        }
        return try outcome.get()
    }
}

extension OpenEntry {
    fileprivate func reading<Value>(
        _ read: (OpenEntry) throws(SystemError) -> Value
    ) throws(KingfisherError) -> Value {
        do {
            return try read(self)
        } catch {
            throw .cacheError(
                reason: .cannotLoadDataFromDisk(url: URL(fileURLWithPath: path), error: error))
        }
    }
}
