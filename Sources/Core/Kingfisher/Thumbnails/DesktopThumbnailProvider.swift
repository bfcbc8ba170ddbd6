import Dispatch
public import Foundation
import Glibc
import KingfisherImage
import KingfisherStorage

/// A thumbnail of a local file, from the cache that file managers and other programs of a desktop share.
///
/// Supplies the thumbnail that another program has stored, if it is of the file's current version. Otherwise
/// it decodes the file at the size of the thumbnail, and stores it for all programs. The thumbnail is an
/// upright PNG; of an animation, it is the first frame.
///
///     imageView.kf.setImage(with: .desktopThumbnail(of: url, .large), options: [.cacheMemoryOnly])
///
/// With `.cacheMemoryOnly`, the thumbnail is not stored a second time by Kingfisher's own disk cache.
///
/// The cache is in `thumbnails` below `XDG_CACHE_HOME` or `~/.cache`, as specified by freedesktop.org's
/// Thumbnail Managing Standard. Entries of users other than this one and root are not used. If the cache
/// cannot be read or written, the thumbnail is made and supplied all the same. A thumbnail is supplied but
/// not stored if the image is not larger than it, the file changed while it was read or less than two seconds
/// ago, or the file is in the cache itself.
///
/// If a codec of this library recognizes a file but cannot decode it, this is also recorded, for all programs
/// with this version of the library. The file is then not decoded again until it changes. Failures of a codec
/// that the program has registered are not recorded, because other programs may have another one.
public struct DesktopThumbnailProvider: ImageDataProvider, Hashable {
    /// The reason for a failure.
    public enum DesktopThumbnailError: Error, Hashable {
        /// The URL is not a `file:` URL of this machine.
        case notLocal
        /// There is no such regular file, or it cannot be read.
        case unreadable
        /// There is no thumbnail, and no codec recognizes the file.
        case unknownFormat
        /// The file is corrupt or exceeds a limit.
        case undecodable(ImageCodecError)
        /// An earlier attempt to decode this version of the file has failed.
        case failedBefore
    }

    /// The file.
    public let fileURL: URL
    /// The size of the thumbnail. A smaller image keeps its size.
    public let size: DesktopThumbnailSize
    public var cacheKey: String
    /// Nil for the user's repository.
    private let repository: ThumbnailRepository?

    /// Creates a provider of a thumbnail of `fileURL`. The key defaults to one derived from the other
    /// arguments.
    ///
    /// With a modification date, a file with another date has another key: the thumbnails of both versions
    /// are cached. Without one, the new thumbnail replaces the old one.
    public init(
        fileURL: URL, size: DesktopThumbnailSize = .large, modificationDate: Date? = nil,
        cacheKey: String? = nil
    ) {
        let key = cacheKey ?? Self.key(fileURL, size, modificationDate)
        self.init(fileURL: fileURL, size: size, cacheKey: key, repository: nil)
    }

    init(
        fileURL: URL, size: DesktopThumbnailSize, cacheKey: String = "thumbnail",
        repository: ThumbnailRepository?
    ) {
        self.fileURL = fileURL
        self.size = size
        self.cacheKey = cacheKey
        self.repository = repository
    }

    /// Reads, decodes and writes on a global queue, and calls `handler` there.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try thumbnail() })
        }
    }

    private func thumbnail() throws(DesktopThumbnailError) -> Data {
        guard let path = LocalFilePath(fileURL) else { throw .notLocal }
        // A stored thumbnail must not show a file that the user may not read.
        guard path.withCString({ faccessat(AT_FDCWD, $0, R_OK, AT_EACCESS) }) == 0,
            let version = path.withCString({ FileVersion(path: $0) })
        else { throw .unreadable }
        let repository = repository ?? .ofUser
        let subject = ThumbnailSubject(path, version)
        if let found = repository?.thumbnail(of: subject, size) { return found }
        if repository?.hasFailure(of: subject) == true { throw .failedBefore }
        return try make(path, repository)
    }

    private func make(
        _ path: LocalFilePath, _ repository: ThumbnailRepository?
    ) throws(DesktopThumbnailError) -> Data {
        guard let file = ImageFile(path) else { throw .unreadable }
        guard let codec = ImageCodecs.codec(for: file.start) else { throw .unknownFormat }
        guard let data = file.all() else { throw .unreadable }
        let subject = ThumbnailSubject(path, file.version)
        let isStored = file.isUnchanged && repository?.accepts(path, subject) == true
        do throws(ImageCodecError) {
            let (full, pixels) = try decode(data)
            guard max(full.width, full.height) > size.pixels else {
                return try PNGCodec.encodeRGBA(pixels, texts: [])
            }
            let texts = subject.texts + ThumbnailSubject.texts(size: full, mediaType: codec.mediaType)
            let thumbnail = try PNGCodec.encodeRGBA(pixels, texts: texts)
            if isStored { repository?.store(thumbnail, of: subject, size) }
            return thumbnail
        } catch {
            if isStored, error.isPermanent, codec.isBuiltIn { repository?.storeFailure(of: subject) }
            throw .undecodable(error)
        }
    }

    /// The full size, and the thumbnail's pixels.
    private func decode(_ data: Data) throws(ImageCodecError) -> (PixelSize, PixelBuffer) {
        try DecodingWork.run { () throws(ImageCodecError) in
            let box = CGSize(width: size.pixels, height: size.pixels)
            let full = try ImageCodecs.open(data).header.displaySize
            guard let pixels = try Image.downsample(data, to: box, scale: 1).pixels else { throw .emptyImage }
            return (full, pixels)
        }
    }

    private static func key(_ url: URL, _ size: DesktopThumbnailSize, _ modified: Date?) -> String {
        let key = "kingfisher.thumbnail/\(size.folderName)/\(LocalFilePath(url)?.uri ?? url.absoluteString)"
        return modified.map { "\(key)?\($0.timeIntervalSince1970)" } ?? key
    }
}

extension Source {
    /// A thumbnail of a local file, shared with the other programs of the desktop; see
    /// ``DesktopThumbnailProvider``.
    public static func desktopThumbnail(
        of fileURL: URL, _ size: DesktopThumbnailSize = .large, modificationDate: Date? = nil
    ) -> Source {
        .provider(
            DesktopThumbnailProvider(fileURL: fileURL, size: size, modificationDate: modificationDate))
    }
}

extension DesktopThumbnailProvider.DesktopThumbnailError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .notLocal: "Only local files have thumbnails."
        case .unreadable: "The file does not exist or cannot be read."
        case .unknownFormat: "The file has no thumbnail, and its format is not registered."
        case .undecodable(let error): "The file cannot be decoded: \(error.localizedDescription)."
        case .failedBefore: "The file could not be decoded before and has not changed since."
        }
    }
}

extension ImageCodec {
    /// Whether every program with this version of the library has the codec.
    fileprivate var isBuiltIn: Bool {
        CodecRegistry.builtIn.codec(for: format).map { type(of: $0) == Self.self } ?? false
    }
}

extension ImageCodecError {
    /// Whether the same bytes fail again under other limits and with more memory.
    fileprivate var isPermanent: Bool {
        switch self {
        case .truncated, .corrupt, .unsupported: true
        default: false
        }
    }
}
