public import Foundation
import Synchronization

/// The source of an image.
public enum Source: Sendable {
    /// Identifies the loads of views.
    public enum Identifier {
        /// The type of the identifier; the first value is 1.
        public typealias Value = UInt

        private static let last = Atomic<UInt>(0)

        static func next() -> Value {
            last.wrappingAdd(1, ordering: .relaxed).newValue
        }
    }

    /// Downloaded from a resource's URL.
    case network(any Resource)
    /// Supplied by a provider.
    case provider(any ImageDataProvider)

    /// The key under which the image is cached.
    public var cacheKey: String {
        switch self {
        case .network(let resource): resource.cacheKey
        case .provider(let provider): provider.cacheKey
        }
    }

    /// The download URL, or the content URL of a provider.
    public var url: URL? {
        switch self {
        case .network(let resource): resource.downloadURL
        case .provider(let provider): provider.contentURL
        }
    }
}

extension Source: Hashable {
    public static func == (lhs: Source, rhs: Source) -> Bool {
        switch (lhs, rhs) {
        case (.network(let lhs), .network(let rhs)):
            lhs.cacheKey == rhs.cacheKey && lhs.downloadURL == rhs.downloadURL
        case (.provider(let lhs), .provider(let rhs)):
            lhs.cacheKey == rhs.cacheKey && lhs.contentURL == rhs.contentURL
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheKey)
        hasher.combine(url)
    }
}
