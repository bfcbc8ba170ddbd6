package import KingfisherStorage
import KingfisherTransport

/// A provider whose data depend on one local file. Cached images of an earlier version of it are not used.
package protocol LocalFileProvider: ImageDataProvider {
    /// The version of the file as the kernel knows it; nil if there is none. Called on any thread,
    /// including the main thread.
    var fileVersion: FileVersion? { get }
    /// The path of the file; nil, as by default, if it may be read only below a folder.
    var filePath: LocalFilePath? { get }
    /// Whether cached images may be used without the file.
    var allowsMissingFile: Bool { get }
}

extension LocalFileProvider {
    package var allowsMissingFile: Bool { true }
    package var fileVersion: FileVersion? { filePath?.version }
    package var filePath: LocalFilePath? { nil }
}

extension LocalFilePath {
    fileprivate var version: FileVersion? { withCString { FileVersion(locallyKnown: $0) } }
}

extension LocalFileImageDataProvider: LocalFileProvider {
    package var filePath: LocalFilePath? { LocalFilePath(fileURL) }
}

extension ThumbnailImageDataProvider: LocalFileProvider {
    package var filePath: LocalFilePath? { LocalFilePath(url, ignoresHost: true) }
}

extension DesktopThumbnailProvider: LocalFileProvider {
    package var filePath: LocalFilePath? { LocalFilePath(fileURL) }
}

extension Source {
    /// Looks at no payload, which would be copied.
    var isNetwork: Bool { if case .network = self { true } else { false } }

    /// The provider of a local file whose version is compared; nil for other sources and with
    /// `.trustsLocalFiles`.
    private func comparedFile(_ options: KingfisherParsedOptionsInfo) -> (any LocalFileProvider)? {
        guard case .provider(let provider) = self, !options.trustsLocalFiles else { return nil }
        return provider as? any LocalFileProvider
    }

    func isComparedFile(_ options: KingfisherParsedOptionsInfo) -> Bool { comparedFile(options) != nil }

    /// The version of the local file; nil for other sources, and if there is no such file. A system call on
    /// this thread, four for a file of an `ImageFolder`. On a network file system, resolving the path or
    /// opening the file may wait for the server.
    var fileVersion: String? {
        guard case .provider(let provider) = self else { return nil }
        return (provider as? any LocalFileProvider)?.fileVersion?.text
    }

    /// The path of the local file; nil for other sources.
    var filePath: LocalFilePath? {
        guard case .provider(let provider) = self else { return nil }
        return (provider as? any LocalFileProvider)?.filePath
    }

    /// The freshness of the local file's bytes, if they are read after this call.
    func versionFreshness(by clock: any StorageClock) -> HTTPFreshness? {
        fileVersion.map { HTTPFreshness(ofFileVersion: $0, receivedAt: clock.now) }
    }

    /// Whether cached bytes are of the current version of the local file. An image stays usable if its file
    /// was deleted, or if it was stored without a version.
    func isCurrent(_ freshness: HTTPFreshness, _ options: KingfisherParsedOptionsInfo) -> Bool {
        guard let cached = freshness.fileVersion, let file = comparedFile(options) else { return true }
        return file.fileVersion.map { $0.text == cached } ?? file.allowsMissingFile
    }
}
