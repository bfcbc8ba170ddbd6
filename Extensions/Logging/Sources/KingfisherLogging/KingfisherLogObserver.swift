public import Kingfisher
public import Logging

/// Writes the library's events to swift-log, at debug level.
///
///     KingfisherEvents.add(KingfisherLogObserver())
///
/// The message is the event's name ("download.finished"). Metadata has the event's subject under "subject",
/// and details under their own keys ("status", "bytes", "duration"). If the logger's level is above debug, no
/// metadata is created. Safe from any thread.
public final class KingfisherLogObserver: KingfisherEventObserver {
    private let logger: Logger

    /// Creates an observer that writes to `logger`, including the logger's own metadata.
    public init(logger: Logger = Logger(label: "kingfisher")) {
        self.logger = logger
    }

    public func kingfisher(didReport event: KingfisherEvent) {
        logger.debug("\(event.name)", metadata: Self.metadata(of: event), source: "Kingfisher")
    }

    private static func metadata(of event: KingfisherEvent) -> Logger.Metadata {
        var metadata = event.details.mapValues { Logger.MetadataValue.string($0) }
        metadata["subject"] = .string(event.subject)
        return metadata
    }
}
