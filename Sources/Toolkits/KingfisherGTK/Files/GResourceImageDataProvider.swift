import CGtk
import Dispatch
public import Foundation
public import Kingfisher

/// An image in a GResource that is registered in this process, such as those linked into the program.
///
///     imageView.kf.setImage(with: .resource("/org/example/app/logo.png"))
///
/// The bytes of an uncompressed resource are used in place, without a copy.
public struct GResourceImageDataProvider: ImageDataProvider, Hashable {
    /// The reason for a failure.
    public enum GResourceError: LocalizedError, Hashable {
        /// No registered GResource has this path.
        case notFound(path: String)
        /// The resource cannot be decompressed.
        case unreadable(path: String)

        public var errorDescription: String? {
            switch self {
            case .notFound(let path): "No registered GResource has \(path)."
            case .unreadable(let path): "The GResource \(path) cannot be decompressed."
            }
        }
    }

    /// The path of the resource.
    public let path: String
    public var cacheKey: String

    /// Creates a provider of a resource such as `/org/example/app/logo.png`. The key defaults to its URL.
    ///
    /// The default key is the same in all versions of the program. With the option `.cacheMemoryOnly`, an
    /// older version of an image is never used, and the resource is not copied to the disk cache.
    public init(path: String, cacheKey: String? = nil) {
        self.path = path
        self.cacheKey = cacheKey ?? "resource://\(path)"
    }

    /// Creates a provider of a resource from its URL such as `resource:///org/example/app/logo.png`; nil for
    /// URLs with another scheme or with a host.
    public init?(url: URL, cacheKey: String? = nil) {
        guard url.scheme?.lowercased() == "resource", (url.host() ?? "").isEmpty else { return nil }
        self.init(path: url.path(percentEncoded: false), cacheKey: cacheKey)
    }

    /// Looks the resource up on a global queue, and calls `handler` there.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try lookUp() })
        }
    }

    /// The URL of the resource.
    public var contentURL: URL? {
        var components = URLComponents()
        components.scheme = "resource"
        components.host = ""
        components.path = path
        return components.url
    }

    private func lookUp() throws(GResourceError) -> Data {
        var failure: UnsafeMutablePointer<GError>?
        let found = g_resources_lookup_data(path, GResourceLookupFlags(rawValue: 0), &failure)
        guard let found else {
            defer { g_clear_error(&failure) }
            let isMissing =
                g_error_matches(
                    failure, g_resource_error_quark(), gint(G_RESOURCE_ERROR_NOT_FOUND.rawValue)) != 0
            throw isMissing ? .notFound(path: path) : .unreadable(path: path)
        }
        var count: gsize = 0
        guard let start = g_bytes_get_data(found, &count), count > 0 else {
            g_bytes_unref(found)
            return Data()
        }
        // The reference counter of GBytes is atomic.
        nonisolated(unsafe) let bytes = found
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: Int(count),
            deallocator: .custom { _, _ in g_bytes_unref(bytes) })
    }
}

extension Source {
    /// An image in a registered GResource; see ``GResourceImageDataProvider``.
    public static func resource(_ path: String) -> Source {
        .provider(GResourceImageDataProvider(path: path))
    }
}
