/// The events of one load, in order: progress, previews, and the image as the last one.
///
/// Each iterator is a separate load. It starts with the first call of `next()`, and is cancelled when the
/// task that waits in `next()` is cancelled, or when the iterator is released: by leaving a `for` loop, for
/// example. Other requests of the same image are not affected.
///
/// A consumer may take its time. Of the events that it has not taken, only the latest progress and the latest
/// preview are retained; the image always is. No event needs the main queue.
///
/// After `.finished`, `next()` returns nil. A load that fails throws its ``KingfisherError`` once, after the
/// retained events; then `next()` returns nil. If the task is cancelled, `next()` drops the retained events
/// and throws the error of a cancelled request, or `asyncTaskContextCancelled` if no request was made. If the
/// image was complete already, it is delivered instead.
public struct ImageLoadingEvents: AsyncSequence, Sendable {
    public typealias Element = ImageLoadingEvent
    public typealias Failure = KingfisherError

    let manager: KingfisherManager
    let source: Source
    let options: KingfisherOptionsInfo?

    /// Makes a load. It starts with the first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(load: EventfulLoad(source, options, manager))
    }

    /// One load. Copies share it: each event goes to one of them.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let load: EventfulLoad

        /// The next event; nil after the end.
        public mutating func next() async throws(KingfisherError) -> ImageLoadingEvent? {
            try await load.next().get()
        }

        /// The next event; nil after the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(KingfisherError) -> ImageLoadingEvent? {
            try await load.next().get()
        }
    }
}

extension KingfisherManager {
    /// Loads the image of a source, and reports progress, previews and the image as a sequence.
    ///
    /// The load works as with `retrieveImage`: caches, providers, retries and alternative sources included,
    /// and concurrent requests of one URL share a transfer. A load that subscribes to a running transfer
    /// reports the progress of that transfer. An image from a cache or a provider is the only event. The
    /// option `.callbackQueue` has no effect.
    ///
    /// With the option `.progressiveJPEG`, the events contain previews of progressive JPEG files. They are
    /// made in the background with the option's settings, and processed like the image. Because the display
    /// size is unknown, a preview of a large file has fewer pixels than the image: its longer side has at
    /// least 1,024. `ImageProgressive.onImageUpdated` is not called.
    ///
    /// Nothing is loaded until the sequence is iterated. See ``ImageLoadingEvents``.
    public func imageEvents(
        for source: Source, options: KingfisherOptionsInfo? = nil
    ) -> ImageLoadingEvents {
        ImageLoadingEvents(manager: self, source: source, options: options)
    }

    /// Loads the image of a resource, and reports progress, previews and the image as a sequence.
    ///
    /// See the method for a source.
    public func imageEvents(
        for resource: any Resource, options: KingfisherOptionsInfo? = nil
    ) -> ImageLoadingEvents {
        imageEvents(for: resource.convertToSource(), options: options)
    }
}
