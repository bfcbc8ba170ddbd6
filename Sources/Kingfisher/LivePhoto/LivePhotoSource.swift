public import Foundation

/// The files that make up one live photo: a still image and a film, as a rule.
public struct LivePhotoSource: Sendable {
    /// The files, in the order in which results name them.
    public let resources: [LivePhotoResource]

    /// Takes files as they are described.
    public init(_ resources: [LivePhotoResource]) {
        self.resources = resources
    }

    /// Takes resources, whose URLs tell the types of their files.
    public init(resources: [any Resource]) {
        self.init(resources.map { LivePhotoResource(resource: $0) })
    }

    /// Takes URLs, which tell the types of their files.
    public init(urls: [URL]) {
        self.init(resources: urls)
    }
}

/// One file of a live photo.
public struct LivePhotoResource: Sendable {
    /// Where the file comes from.
    public let dataSource: Source
    /// The type that the file was said to have, or that its URL's extension tells.
    public let referenceFileType: FileType

    /// Takes a file from `source`; without `fileType` the extension of the source's URL tells the type.
    public init(source: Source, fileType: FileType? = nil) {
        dataSource = source
        referenceFileType = fileType ?? FileType(pathExtension: source.url?.pathExtension ?? "")
    }

    /// Takes a file from a resource, which is a provider for a file URL and a download for any other.
    public init(resource: any Resource, fileType: FileType? = nil) {
        self.init(source: resource.convertToSource(), fileType: fileType)
    }

    /// Downloads a file; the cache key defaults to the URL's own.
    public init(downloadURL: URL, cacheKey: String? = nil, fileType: FileType? = nil) {
        self.init(
            resource: KF.ImageResource(downloadURL: downloadURL, cacheKey: cacheKey), fileType: fileType)
    }
}
