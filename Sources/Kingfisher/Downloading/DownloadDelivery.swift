import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

/// Completes the callers of a finished transfer. Creates one image for each combination of processing
/// options, and delivers it to the callers that requested it.
final class DownloadDelivery: Sendable {
    private let downloader: ImageDownloader
    private let session: SessionDataTask
    private let data: Data
    private let heldBytes: Int
    private let arrival: ResponseArrival
    private let metrics: NetworkMetrics?
    private let ticket: AdmissionTicket?
    private let queue: CallbackQueue?
    private let saved = Mutex(SavedOutcomes?.none)

    /// One outcome for each variant. Nearly always all callers want the same variant.
    private struct Outcomes: Sendable {
        private var first: (variant: ImageVariant, outcome: DownloadOutcome)?
        private var others: [ImageVariant: DownloadOutcome] = [:]

        var bytes: Int {
            others.values.reduce(Self.bytes(of: first?.outcome)) { $0 + Self.bytes(of: $1) }
        }

        private static func bytes(of outcome: DownloadOutcome?) -> Int {
            if case .loaded(let loaded)? = outcome { loaded.image.cacheCost } else { 0 }
        }

        subscript(variant: ImageVariant) -> DownloadOutcome? {
            first?.variant == variant ? first?.outcome : others[variant]
        }

        mutating func add(_ outcome: DownloadOutcome, _ variant: ImageVariant) {
            if first == nil { first = (variant, outcome) } else { others[variant] = outcome }
        }
    }

    /// A reference: for a mutex of a large value, the runtime would look up metadata for each transfer.
    private final class SavedOutcomes: Sendable {
        let outcomes: Outcomes

        init(_ outcomes: Outcomes) { self.outcomes = outcomes }
    }

    init(
        downloader: ImageDownloader, session: SessionDataTask, data: Data, heldBytes: Int = 0,
        arrival: ResponseArrival, metrics: NetworkMetrics?, ticket: AdmissionTicket? = nil,
        queue: CallbackQueue? = nil
    ) {
        self.downloader = downloader
        self.session = session
        self.data = data
        self.heldBytes = max(heldBytes, data.residentCount)
        self.arrival = arrival
        self.metrics = metrics
        self.ticket = ticket
        self.queue = queue
    }

    func enqueue() {
        guard let queue else { return downloader.deliveries.add(self) }
        if queue.isImmediate { LoopRound.endEarly() }
        queue.execute { [self] in run() }
    }

    /// Runs on the processing queue until no caller waits. Callers may still be added while it runs. Each
    /// completes on its own callback queue. If there is not enough memory to decode, it returns and is
    /// enqueued again when there is.
    func run() {
        // What is decoded must be what memory is reserved for.
        DecodingWork.run { serve() }
    }

    private func serve() {
        var outcomes = saved.withLock { $0.take() }?.outcomes ?? Outcomes()
        while let (token, callback) = session.nextToServe() {
            if session.isConfirmed {
                if session.claim(token, processingFailed: false) { callback.complete(.confirmed(arrival)) }
                continue
            }
            let variant = callback.options.imageVariant
            var known = outcomes[variant]
            if known == nil, let ticket {
                switch reserve(ticket, for: callback.options, beside: outcomes) {
                case .reserved: break
                case .waits: return
                case .refused(let error): known = .failed(error)
                }
            }
            let outcome = known ?? process(with: callback.options)
            if known == nil { outcomes.add(outcome, variant) }
            guard session.claim(token, processingFailed: outcome.isFailure) else { continue }
            callback.complete(ticket == nil ? outcome : outcome.holding(ticket, for: callback))
        }
        downloader.forget(session)
        // The images and the bytes stay in memory until they are written to disk.
        ticket?.shrink(to: heldBytes + outcomes.bytes)
    }

    private func reserve(
        _ ticket: AdmissionTicket, for options: KingfisherParsedOptionsInfo, beside outcomes: Outcomes
    ) -> AdmissionTicket.Answer {
        let pixels = options.processingMemory(for: .data(data))
        let need = data.residentCount + pixels
        let budget = ticket.limits.budget
        guard need <= budget else { return .refused(ticket.excess(need)) }
        let progress = SavedOutcomes(outcomes)
        saved.withLock { $0 = progress }
        // Unused capacity of the block and images of other callers must not make this image exceed the
        // budget.
        let total = min(heldBytes + pixels + outcomes.bytes, budget)
        return ticket.reserve(total: total) { [self] in enqueue() }
    }

    private func process(with options: KingfisherParsedOptionsInfo) -> DownloadOutcome {
        let item = ImageProcessItem.data(data)
        guard let image = options.process(item, of: session.originalURL?.absoluteString ?? "") else {
            return .failed(
                .processorError(reason: .processingFailed(processor: options.processor, item: item)), arrival)
        }
        if let url = session.originalURL, let delegate = downloader.delegate {
            delegate.imageDownloader(
                downloader, didDownload: image, for: url, with: arrival.response.httpURLResponse)
        }
        var result = ImageLoadingResult(
            image: image, url: session.originalURL, originalData: data, metrics: metrics)
        result.arrival = arrival
        return .loaded(result)
    }
}

extension DownloadOutcome {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }

    fileprivate func holding(
        _ ticket: AdmissionTicket?, for callback: SessionDataTask.Callback
    ) -> DownloadOutcome {
        guard callback.admission != nil, case .loaded(var loaded) = self else { return self }
        loaded.ticket = ticket
        return .loaded(loaded)
    }
}
