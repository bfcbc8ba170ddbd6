import Foundation
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

/// The thumbnails that the programs of a desktop share (freedesktop.org, Thumbnail Managing Standard 0.9).
///
/// Several processes may read and write it at any time; each entry is replaced as a whole.
struct ThumbnailRepository: Sendable {
    private let folder: String
    private let fileSystem: FileSystem
    private let clock: any StorageClock

    /// The largest text of an entry; a URI has at most three bytes for each of 4,096 in a path.
    private static let maximumTextBytes = 64 << 10
    /// File systems round modification times to up to two seconds.
    private static let settlingTime: TimeInterval = 2

    init(folder: String, fileSystem: FileSystem = FileSystem(), clock: any StorageClock = WallClock()) {
        self.folder = folder
        self.fileSystem = fileSystem
        self.clock = clock
    }

    /// The repository of this user; nil without a home folder.
    static let ofUser: ThumbnailRepository? = UserCaches.folder
        .map { ThumbnailRepository(folder: $0 + "/thumbnails") }

    /// The valid thumbnail of a file: of this version, no larger than `size`, and decodable.
    func thumbnail(of subject: ThumbnailSubject, _ size: DesktopThumbnailSize) -> Data? {
        guard let data = entry(of: subject, in: size.folderName), let file = try? ImageCodecs.open(data),
            file.codec.format == .PNG,
            max(file.header.size.width, file.header.size.height) <= size.pixels,
            (try? file.decoder.decode(.full)) != nil
        else { return nil }
        return data
    }

    /// Whether this version of the library has recorded that it cannot decode this version of the file.
    func hasFailure(of subject: ThumbnailSubject) -> Bool {
        entry(of: subject, in: Self.failureFolder) != nil
    }

    /// Stores a thumbnail. The repository is a cache: on failure, the next load makes the thumbnail again.
    func store(_ thumbnail: Data, of subject: ThumbnailSubject, _ size: DesktopThumbnailSize) {
        try? fileSystem.replacePrivateFile(
            subject.fileName, in: "\(folder)/\(size.folderName)", with: thumbnail)
    }

    /// Records that a file cannot be decoded, as an image of one transparent pixel.
    func storeFailure(of subject: ThumbnailSubject) {
        let pixel = try? PixelBuffer(width: 1, height: 1, format: .rgba8Straight, zeroed: true) { _, _ in }
        guard let pixel, let data = try? PNGCodec.encodeRGBA(pixel, texts: subject.texts) else { return }
        try? fileSystem.replacePrivateFile(
            subject.fileName, in: "\(folder)/\(Self.failureFolder)", with: data)
    }

    /// Whether an entry may be made of a file: if it is outside of the repository, and if its next change
    /// will give it another modification time.
    func accepts(_ path: LocalFilePath, _ subject: ThumbnailSubject) -> Bool {
        let age = clock.now.timeIntervalSince1970 - TimeInterval(subject.version.seconds)
        guard age < 0 || age >= Self.settlingTime else { return false }
        guard let own = fileSystem.resolvedPath(folder) else { return true }
        let isInside = path.withCString { fileSystem.resolvedPath($0) }?.hasPrefix(own + "/")
        return isInside != true
    }

    private func entry(of subject: ThumbnailSubject, in name: String) -> Data? {
        let path = LocalFilePath(path: "\(folder)/\(name)/\(subject.fileName)")
        // Another user may store anything if the folder lets others write.
        guard let file = ImageFile(path, atMost: DesktopThumbnailSize.maximumBytes), !file.isForeign,
            let data = file.all(),
            subject.matches(PNGCodec.texts(of: data, atMost: Self.maximumTextBytes))
        else { return nil }
        return data
    }

    private static let failureFolder = "fail/kingfisher-\(kingfisherVersion)"
}

extension ThumbnailRepository: Hashable {
    static func == (one: Self, other: Self) -> Bool { one.folder == other.folder }

    func hash(into hasher: inout Hasher) { hasher.combine(folder) }
}
