public import Foundation
import Synchronization

/// Where an image comes from.
public enum Source: Sendable {
    /// Numbers that tell the loads of one view apart.
    public enum Identifier {
        /// The number's type; the first one handed out is 1.
        public typealias Value = UInt

        private static let last = Atomic<UInt>(0)

        /// A number that was not handed out before.
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

    /// The URL downloaded from, or a provider's content URL.
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
