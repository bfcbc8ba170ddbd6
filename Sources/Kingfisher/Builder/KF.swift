public import Foundation

extension KF {
    /// Begins loads by `manager` and with its default options; the other functions go by
    /// `KingfisherManager.shared`.
    ///
    ///     KF.manager(manager).url(url).set(to: imageView)
    public static func manager(_ manager: KingfisherManager) -> Loads {
        Loads(manager: manager)
    }

    /// Begins the load of a source; nil shows the placeholder and fails with `emptySource`.
    public static func source(_ source: Source?) -> Builder {
        manager(.shared).source(source)
    }

    /// Begins the load of a resource; see `source(_:)`.
    public static func resource(_ resource: (any Resource)?) -> Builder {
        manager(.shared).resource(resource)
    }

    /// Begins the load of a URL, cached under `cacheKey` or the URL's own key; see `source(_:)`.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> Builder {
        manager(.shared).url(url, cacheKey: cacheKey)
    }

    /// Begins the load of what a provider supplies; see `source(_:)`.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> Builder {
        manager(.shared).dataProvider(provider)
    }

    /// Begins the load of a file's bytes in hand, cached under `cacheKey`; see `source(_:)`.
    public static func data(_ data: Data?, cacheKey: String) -> Builder {
        manager(.shared).data(data, cacheKey: cacheKey)
    }

    /// Begins loads by one manager; see `manager(_:)`.
    public struct Loads: Sendable {
        let manager: KingfisherManager

        /// Begins the load of a source; nil shows the placeholder and fails with `emptySource`.
        public func source(_ source: Source?) -> Builder {
            Builder(source: source, manager: manager)
        }

        /// Begins the load of a resource; see `source(_:)`.
        public func resource(_ resource: (any Resource)?) -> Builder {
            source(resource?.convertToSource())
        }

        /// Begins the load of a URL, cached under `cacheKey` or the URL's own key; see `source(_:)`.
        public func url(_ url: URL?, cacheKey: String? = nil) -> Builder {
            source(url?.convertToSource(overrideCacheKey: cacheKey))
        }

        /// Begins the load of what a provider supplies; see `source(_:)`.
        public func dataProvider(_ provider: (any ImageDataProvider)?) -> Builder {
            source(provider?.convertToSource())
        }

        /// Begins the load of a file's bytes in hand, cached under `cacheKey`; see `source(_:)`.
        public func data(_ data: Data?, cacheKey: String) -> Builder {
            dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
        }
    }
}
