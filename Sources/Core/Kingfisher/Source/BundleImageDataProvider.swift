import Dispatch
public import Foundation
import KingfisherImage

/// An image among the resources of a bundle, such as `Bundle.module` of a Swift package.
///
///     imageView.kf.setImage(with: .bundle("logo", in: .main))
public struct BundleImageDataProvider: ImageDataProvider, Hashable {
    /// The reason for a failure.
    public enum BundleImageError: LocalizedError, Hashable {
        /// The bundle has no file with this name.
        case notFound(name: String)

        public var errorDescription: String? {
            switch self {
            case .notFound(let name): "The bundle has no image named \(name)."
            }
        }
    }

    /// The name of the image, with or without an extension. It may begin with subfolders.
    public let name: String
    /// Pixels per point of the preferred file.
    public let scale: CGFloat
    public var cacheKey: String
    private let folders: [URL]

    /// Creates a provider of the image `name` of `bundle`. The key defaults to one derived from the other
    /// arguments.
    ///
    /// If there are files for several scales (`logo.png`, `logo@2x.png`, `logo@3x.png`), the one for `scale`
    /// is used, otherwise one for a larger scale, otherwise for a smaller one. The option `.scaleFactor` sets
    /// the scale of the image itself.
    ///
    /// The default key is the same in all versions of the program. With the option `.cacheMemoryOnly`, an
    /// older version of an image is never used, and the file is not copied to the disk cache. It contains the
    /// bundle's identifier; without one, the path of the bundle, or of the executable for `Bundle.main`.
    public init(
        named name: String, in bundle: Bundle = .main, scale: CGFloat = 1, cacheKey: String? = nil
    ) {
        self.name = name
        self.scale = scale
        self.cacheKey = cacheKey ?? "kingfisher.bundle/\(bundle.owner)/\(name)@\(scale)x"
        folders = [bundle.resourceURL, bundle.bundleURL].compactMap { $0 }
    }

    /// Finds and reads the file on a global queue, and calls `handler` there.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(
                Result {
                    guard let file = ImageResourceFile.find(name, in: folders, scale: scale) else {
                        throw BundleImageError.notFound(name: name)
                    }
                    return try Data(contentsOf: file)
                })
        }
    }
}

extension Bundle {
    /// Identifies the bundle. Programs without an identifier, as is usual on Linux, may be in one folder.
    fileprivate var owner: String {
        if let bundleIdentifier { return bundleIdentifier }
        return (self === Bundle.main ? executablePath : nil) ?? bundlePath
    }
}

extension Source {
    /// An image among the resources of a bundle; see ``BundleImageDataProvider``.
    public static func bundle(_ name: String, in bundle: Bundle = .main, scale: CGFloat = 1) -> Source {
        .provider(BundleImageDataProvider(named: name, in: bundle, scale: scale))
    }
}
