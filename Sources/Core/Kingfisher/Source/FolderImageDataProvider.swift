import Dispatch
public import Foundation
import Glibc
package import KingfisherStorage

/// A folder whose files are loaded by names that a program does not trust.
///
/// No name leads out of the folder: `..`, empty components and all links below the folder are refused, by the
/// kernel if it can (openat2, Linux 5.6), otherwise one component after the other. The folder stays the same
/// one if its path is renamed. Safe from any thread.
public final class ImageFolder: Sendable {
    /// The folder, as it was opened.
    public let url: URL
    fileprivate let files: FolderFiles

    /// Opens a folder, following links in its own path. Throws an error of the domain `NSPOSIXErrorDomain` if
    /// there is no such folder, or it cannot be opened.
    public convenience init(url: URL) throws {
        try self.init(url: url, usesKernel: true)
    }

    init(url: URL, usesKernel: Bool) throws {
        self.url = url
        files = try FolderFiles(path: url.path(percentEncoded: false), usesKernel: usesKernel)
    }

    /// A source of a file of this folder; see ``FolderImageDataProvider``.
    public func source(_ path: String, maximumBytes: Int = 1 << 30) -> Source {
        .provider(FolderImageDataProvider(self, path: path, maximumBytes: maximumBytes))
    }
}

/// An image in a file of an ``ImageFolder``.
///
/// A cached image is used while the file has the same version
/// (``KingfisherOptionsInfoItem/trustsLocalFiles``).
public struct FolderImageDataProvider: ImageDataProvider, Hashable {
    /// The reason for a failure.
    public enum FolderError: Error, Hashable, Sendable {
        /// There is no regular file of this name in the folder, or the name could lead out of it.
        case notFound
        /// The file may not be read.
        case notPermitted
        /// The file is larger than the limit in bytes.
        case tooLarge(limit: Int)
        /// Reading failed.
        case unreadable
    }

    public let folder: ImageFolder
    /// The relative path of the file.
    public let path: String
    /// Larger files are refused.
    public let maximumBytes: Int
    public var cacheKey: String

    /// Creates a provider of the file with the relative path `path`. The key defaults to one derived from the
    /// paths of folder and file, which no other provider has.
    public init(
        _ folder: ImageFolder, path: String, maximumBytes: Int = 1 << 30, cacheKey: String? = nil
    ) {
        (self.folder, self.path, self.maximumBytes) = (folder, path, maximumBytes)
        self.cacheKey = cacheKey ?? "kingfisher.folder/\(folder.url.path(percentEncoded: true))\u{0}\(path)"
    }

    /// Reads on a global queue, and calls `handler` there.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try contents() })
        }
    }

    private func contents() throws(FolderError) -> Data {
        let file: ImageFile?
        do {
            file = try folder.files.withFile(path) { descriptor in
                ImageFile(adopting: fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
            }
        } catch {
            switch error.code {
            case EACCES, EPERM: throw .notPermitted
            case ENOENT, ENOTDIR, ELOOP, EXDEV, EINVAL, ENAMETOOLONG: throw .notFound
            default: throw .unreadable
            }
        }
        guard let file else { throw .unreadable }
        guard file.version.size <= maximumBytes else { throw .tooLarge(limit: maximumBytes) }
        guard let data = file.all() else { throw .unreadable }
        return data
    }
}

extension FolderImageDataProvider: LocalFileProvider {
    package var fileVersion: FileVersion? { folder.files.version(of: path) }

    /// A client may see only what is in the folder now.
    package var allowsMissingFile: Bool { false }
}

extension ImageFolder: Hashable {
    public static func == (one: ImageFolder, other: ImageFolder) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
