public import Kingfisher
public import KingfisherService
import Synchronization

/// Measures the parts of a request, for `Server-Timing`, the metrics and the spans.
///
/// The first and the last report of a part count, whether they are events of the library or calls. Safe from
/// any thread.
public final class RequestTimer: Sendable {
    /// A moment in a request.
    public enum Mark: CaseIterable, Sendable {
        /// A download has begun for the request, or the request shares one.
        case downloadBegan
        /// All bytes were received, or the download has failed.
        case downloadEnded
        /// Decoding has begun.
        case buildBegan
        /// The file is encoded, or the load has failed.
        case buildEnded
    }

    /// A part of the request, in order.
    struct Part: Equatable {
        let span: ServerMetrics.Span
        let began: ContinuousClock.Instant
        let ended: ContinuousClock.Instant

        var duration: Duration { began.duration(to: ended) }
    }

    private struct Interval {
        var began: ContinuousClock.Instant?
        var ended: ContinuousClock.Instant?
    }

    private struct State {
        var download = Interval()
        var build = Interval()
        var ended: ContinuousClock.Instant?
    }

    let now: @Sendable () -> ContinuousClock.Instant
    private let began: ContinuousClock.Instant
    private let state = Mutex(State())

    /// Starts to measure.
    public convenience init() { self.init { ContinuousClock.now } }

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        began = now()
    }

    /// Notes a moment, `ago` before now.
    public func mark(_ mark: Mark, ago: Duration = .zero) {
        let time = max(began, now().advanced(by: .zero - ago))
        state.withLock { state in
            guard state.ended == nil else { return }
            switch mark {
            case .downloadBegan: state.download.began = min(state.download.began ?? time, time)
            case .downloadEnded: state.download.ended = max(state.download.ended ?? time, time)
            case .buildBegan: state.build.began = min(state.build.began ?? time, time)
            case .buildEnded: state.build.ended = max(state.build.ended ?? time, time)
            }
        }
    }

    /// Notes what an event of the load says.
    public func receive(_ event: KingfisherEvent) {
        switch event {
        case .downloadStarted, .downloadJoined: mark(.downloadBegan)
        case .downloadFinished(_, _, _, let duration), .downloadFailed(_, _, let duration):
            mark(.downloadBegan, ago: .seconds(bounded: duration))
            mark(.downloadEnded)
        case .processed(_, _, _, let duration):
            mark(.buildBegan, ago: .seconds(bounded: duration))
            mark(.buildEnded)
        // Encoding and storing follow the steps.
        case .requestFinished, .requestFailed:
            if state.withLock(\.build.began) != nil { mark(.buildEnded) }
        default: break
        }
    }

    /// Ends the measurement, if it has not ended, and gives the time since its start.
    @discardableResult
    public func end() -> Duration {
        let time = now()
        let ended = state.withLock { state in
            state.ended = state.ended ?? time
            return state.ended ?? time
        }
        return began.duration(to: ended)
    }

    /// The durations for `Server-Timing`. `total` is the time until now, or until ``end()``.
    public func timing(cache: ServiceTiming.Cache?) -> ServiceTiming {
        var timing = ServiceTiming()
        timing.cache = cache
        timing.download = parts.first { $0.span == .downloading }?.duration
        timing.build = parts.first { $0.span == .processing }?.duration
        timing.total = began.duration(to: state.withLock(\.ended) ?? now())
        return timing
    }

    /// The parts that have ended. The queue is all that comes before the first other part.
    var parts: [Part] {
        let state = state.withLock { $0 }
        var parts: [Part] = []
        for (span, interval) in [
            (ServerMetrics.Span.downloading, state.download), (.processing, state.build),
        ] {
            // A download without an end of its own has ended when decoding begins.
            let end = interval.ended ?? (span == .downloading ? state.build.began : nil)
            if let began = interval.began, let end, end >= began {
                parts.append(Part(span: span, began: began, ended: end))
            }
        }
        if let first = parts.map(\.began).min() {
            parts.insert(Part(span: .queue, began: began, ended: first), at: 0)
        }
        return parts
    }

    /// How long the request waited before its first part; nil if there was none.
    public var queueTime: Duration? { parts.first { $0.span == .queue }?.duration }
}

/// The timers of the requests that are loaded now, by the names that events use. Safe from any thread.
///
/// Requests of one source share its events.
public final class RequestTimers: Sendable {
    private struct Entry {
        weak var timer: RequestTimer?
    }

    private let entries = Mutex<[String: [ObjectIdentifier: Entry]]>([:])

    /// Creates a table without timers.
    public init() {}

    /// The number of names that are followed.
    var count: Int { entries.withLock(\.count) }

    /// Reports the events of `source` to a timer while `load` runs.
    ///
    /// - Parameter names: Other names of the source in events, such as the URL at which a provider loads it.
    public func follow<Result>(
        _ timer: RequestTimer, _ source: Source, names: [String] = [],
        isolation: isolated (any Actor)? = #isolation, _ load: () async throws -> Result
    ) async rethrows -> Result {
        let names = Set([Self.name(of: source)] + names)
        add(timer, names)
        defer { remove(timer, names) }
        return try await load()
    }

    /// Reports an event to the timers of its source.
    public func receive(_ event: KingfisherEvent) {
        let name: String
        switch event {
        case .downloadStarted, .downloadJoined, .downloadFinished, .downloadFailed, .processed,
            .requestFinished, .requestFailed:
            name = event.subject
        default: return
        }
        let timers = entries.withLock { entries in entries[name]?.values.compactMap(\.timer) ?? [] }
        for timer in timers { timer.receive(event) }
    }

    func add(_ timer: RequestTimer, _ names: Set<String>) {
        entries.withLock { entries in
            for name in names { entries[name, default: [:]][ObjectIdentifier(timer)] = Entry(timer: timer) }
        }
    }

    func remove(_ timer: RequestTimer, _ names: Set<String>) {
        entries.withLock { entries in
            for name in names {
                entries[name]?[ObjectIdentifier(timer)] = nil
                if entries[name]?.isEmpty == true { entries[name] = nil }
            }
        }
    }

    /// The name of a source in events. They omit user information, which URLs of a service do not have.
    static func name(of source: Source) -> String {
        switch source {
        case .network(let resource): resource.downloadURL.absoluteString
        case .provider(let provider): provider.cacheKey
        }
    }
}
