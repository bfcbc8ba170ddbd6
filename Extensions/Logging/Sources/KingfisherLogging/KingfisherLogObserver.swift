public import Kingfisher
public import Logging

/// Writes the library's events to swift-log, at debug level.
///
///     KingfisherEvents.add(KingfisherLogObserver())
///
/// The message is the event's name ("download.finished"); what it happened to stands in the metadata under
/// "subject", and everything else under a name of its own ("status", "bytes", "duration"). While the logger's
/// level is above debug, nothing is put together. Safe from any thread.
public final class KingfisherLogObserver: KingfisherEventObserver {
    private let logger: Logger

    /// Writes to `logger`, whose own metadata go with every line.
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
