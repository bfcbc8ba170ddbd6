public import Foundation

extension KF {
    /// Starts builders that load with `manager` and its default options. The other functions use
    /// `KingfisherManager.shared`.
    ///
    ///     KF.manager(manager).url(url).set(to: imageView)
    public static func manager(_ manager: KingfisherManager) -> Loads {
        Loads(manager: manager)
    }

    /// Loads a source; nil shows the placeholder and fails with `emptySource`.
    public static func source(_ source: Source?) -> Builder {
        manager(.shared).source(source)
    }

    /// Loads a resource; see `source(_:)`.
    public static func resource(_ resource: (any Resource)?) -> Builder {
        manager(.shared).resource(resource)
    }

    /// Loads a URL, cached under `cacheKey`, by default the URL's key; see `source(_:)`.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> Builder {
        manager(.shared).url(url, cacheKey: cacheKey)
    }

    /// Loads the data of a provider; see `source(_:)`.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> Builder {
        manager(.shared).dataProvider(provider)
    }

    /// Loads a file's bytes from memory, cached under `cacheKey`; see `source(_:)`.
    public static func data(_ data: Data?, cacheKey: String) -> Builder {
        manager(.shared).data(data, cacheKey: cacheKey)
    }

    /// Starts builders that load with one manager; see `manager(_:)`.
    public struct Loads: Sendable {
        let manager: KingfisherManager

        /// Loads a source; nil shows the placeholder and fails with `emptySource`.
        public func source(_ source: Source?) -> Builder {
            Builder(source: source, manager: manager)
        }

        /// Loads a resource; see `source(_:)`.
        public func resource(_ resource: (any Resource)?) -> Builder {
            source(resource?.convertToSource())
        }

        /// Loads a URL, cached under `cacheKey`, by default the URL's key; see `source(_:)`.
        public func url(_ url: URL?, cacheKey: String? = nil) -> Builder {
            source(url?.convertToSource(overrideCacheKey: cacheKey))
        }

        /// Loads the data of a provider; see `source(_:)`.
        public func dataProvider(_ provider: (any ImageDataProvider)?) -> Builder {
            source(provider?.convertToSource())
        }

        /// Loads a file's bytes from memory, cached under `cacheKey`; see `source(_:)`.
        public func data(_ data: Data?, cacheKey: String) -> Builder {
            dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
        }
    }
}
