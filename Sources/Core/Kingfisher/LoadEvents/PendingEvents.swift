/// The events of a load that its consumer has not taken: at most one progress, one preview and the end.
///
/// A pure value. Functions that drop events return them, because the caller releases them outside its lock.
struct PendingEvents: Sendable {
    typealias End = Result<RetrieveImageResult, KingfisherError>
    /// An event, the error of the load, or nil after the end.
    typealias Taken = Result<ImageLoadingEvent?, KingfisherError>

    private var events: [ImageLoadingEvent] = []
    /// The end of the load, until it is taken.
    private var end: End?
    private var hasEnded = false
    private(set) var acceptsEvents = true
    private var progress = (round: 0, received: Int64(-1))

    /// Adds an event behind the others, and drops an earlier one of its kind.
    mutating func add(_ event: ImageLoadingEvent) -> [ImageLoadingEvent] {
        guard acceptsEvents else { return [event] }
        let dropped = events.filter { $0.isSameKind(as: event) }
        events.removeAll { $0.isSameKind(as: event) }
        events.append(event)
        return dropped
    }

    /// Adds progress, unless more of the same transfer, or anything of a later one, was reported: the threads
    /// that report the bytes may pass each other.
    mutating func addProgress(received: Int64, total: Int64, round: Int) -> [ImageLoadingEvent] {
        guard (round, received) > progress else { return [] }
        progress = (round, received)
        return add(.progress(received: received, total: total))
    }

    /// Ends the load. Only the first end counts.
    mutating func end(with end: End) -> [ImageLoadingEvent] {
        guard !hasEnded else { return (try? end.get()).map { [.finished($0)] } ?? [] }
        (self.end, hasEnded, acceptsEvents) = (end, true, false)
        return []
    }

    /// Drops all events but the end, and accepts no more.
    mutating func drop() -> [ImageLoadingEvent] {
        defer { events = [] }
        acceptsEvents = false
        return events
    }

    /// The next event; nil while there is none.
    mutating func take() -> Taken? {
        if !events.isEmpty { return .success(events.removeFirst()) }
        guard hasEnded else { return nil }
        guard let end else { return .success(nil) }
        self.end = nil
        return end.map { .finished($0) }
    }
}

extension ImageLoadingEvent {
    fileprivate func isSameKind(as other: ImageLoadingEvent) -> Bool {
        switch (self, other) {
        case (.progress, .progress), (.preview, .preview), (.finished, .finished): true
        default: false
        }
    }
}
