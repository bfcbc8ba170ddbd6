public import Foundation

/// The files of one live photo, usually a still image and a video.
public struct LivePhotoSource: Sendable {
    /// The files, in the order of the results.
    public let resources: [LivePhotoResource]

    /// Creates a source of these files.
    public init(_ resources: [LivePhotoResource]) {
        self.resources = resources
    }

    /// Creates a source of resources. The extensions of their URLs determine the file types.
    public init(resources: [any Resource]) {
        self.init(resources.map { LivePhotoResource(resource: $0) })
    }

    /// Creates a source of URLs. Their extensions determine the file types.
    public init(urls: [URL]) {
        self.init(resources: urls)
    }
}

/// One file of a live photo.
public struct LivePhotoResource: Sendable {
    /// The source of the file.
    public let dataSource: Source
    /// The specified type of the file, or the type for its URL's extension.
    public let referenceFileType: FileType

    /// Creates a file of `source`; without `fileType`, the extension of the source's URL determines the type.
    public init(source: Source, fileType: FileType? = nil) {
        dataSource = source
        referenceFileType = fileType ?? FileType(pathExtension: source.url?.pathExtension ?? "")
    }

    /// Creates a file of a resource. A file URL is read by a data provider, any other is downloaded.
    public init(resource: any Resource, fileType: FileType? = nil) {
        self.init(source: resource.convertToSource(), fileType: fileType)
    }

    /// Creates a file that is downloaded; the cache key defaults to the URL's cache key.
    public init(downloadURL: URL, cacheKey: String? = nil, fileType: FileType? = nil) {
        self.init(
            resource: KF.ImageResource(downloadURL: downloadURL, cacheKey: cacheKey), fileType: fileType)
    }

    /// The same file from a source that has another cache key.
    func with(_ source: Source) -> LivePhotoResource {
        LivePhotoResource(source: source, fileType: referenceFileType)
    }
}
