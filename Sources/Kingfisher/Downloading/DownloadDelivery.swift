import Foundation
import KingfisherTransport
import Synchronization

/// Serves the callers of a finished transfer: makes an image for each way they asked for, once, and hands it
/// out.
final class DownloadDelivery: Sendable {
    private typealias Outcome = SessionDataTask.Outcome

    private let downloader: ImageDownloader
    private let session: SessionDataTask
    private let data: Data
    /// Bytes of memory that `data` takes.
    private let heldBytes: Int
    private let arrival: ResponseArrival
    private let metrics: NetworkMetrics?
    private let ticket: AdmissionTicket?
    private let queue: CallbackQueue?
    /// What was made before there was no memory for more.
    private let kept = Mutex(Kept?.none)

    /// What callers who want the same are served with. Nearly always all callers want the same.
    private struct Outcomes: Sendable {
        private var first: (variant: ImageVariant, outcome: Outcome)?
        private var others: [ImageVariant: Outcome] = [:]

        /// Bytes that the images take.
        var bytes: Int {
            others.values.reduce(Self.bytes(of: first?.outcome)) { $0 + Self.bytes(of: $1) }
        }

        private static func bytes(of outcome: Outcome?) -> Int { (try? outcome?.get().image.cacheCost) ?? 0 }

        subscript(variant: ImageVariant) -> Outcome? {
            first?.variant == variant ? first?.outcome : others[variant]
        }

        mutating func add(_ outcome: Outcome, _ variant: ImageVariant) {
            if first == nil { first = (variant, outcome) } else { others[variant] = outcome }
        }
    }

    /// A reference, because the metadata of a mutex of a large value would be looked up for each transfer.
    private final class Kept: Sendable {
        let outcomes: Outcomes

        init(_ outcomes: Outcomes) { self.outcomes = outcomes }
    }

    /// - Parameters:
    ///   - ticket: The share of a memory budget that `data` is part of, and the decoded pixels are to be.
    ///   - queue: Where to work; nil for the downloader's queue.
    init(
        downloader: ImageDownloader, session: SessionDataTask, data: Data, heldBytes: Int = 0,
        arrival: ResponseArrival, metrics: NetworkMetrics?, ticket: AdmissionTicket? = nil,
        queue: CallbackQueue? = nil
    ) {
        self.downloader = downloader
        self.session = session
        self.data = data
        self.heldBytes = max(heldBytes, data.count)
        self.arrival = arrival
        self.metrics = metrics
        self.ticket = ticket
        self.queue = queue
    }

    /// Puts `run` on the queue; on the transport's thread together with what ends in the same round.
    func enqueue() {
        guard let queue else { return downloader.deliveries.add(self) }
        if queue.isImmediate { LoopRound.endEarly() }
        queue.execute { [self] in run() }
    }

    /// Runs on the processing queue until no caller waits; callers may still join. Each completes on its own
    /// queue. Returns where there is no memory to decode in, and is enqueued again when there is.
    func run() {
        var outcomes = kept.withLock { $0.take() }?.outcomes ?? Outcomes()
        while let (token, callback) = session.nextToServe() {
            if session.isConfirmed {
                if session.claim(token, withImage: true) { callback.confirm(arrival) }
                continue
            }
            let variant = callback.options.imageVariant
            var known = outcomes[variant]
            if known == nil, let ticket {
                switch reserve(ticket, for: callback.options, beside: outcomes) {
                case .reserved: break
                case .waits: return
                case .exceedsBudget(let error): known = .failure(error)
                }
            }
            let outcome = known ?? process(with: callback.options)
            if known == nil { outcomes.add(outcome, variant) }
            guard session.claim(token, withImage: (try? outcome.get()) != nil) else { continue }
            callback.complete(ticket == nil ? outcome : outcome.map { $0.holding(ticket, for: callback) })
        }
        downloader.forget(session)
        // Until the images are written to disk, they are held beside the bytes.
        ticket?.shrink(to: heldBytes + outcomes.bytes)
    }

    private enum Reservation { case reserved, waits, exceedsBudget(KingfisherError) }

    /// Reserves memory for making one more image, beside the bytes and the images made before.
    private func reserve(
        _ ticket: AdmissionTicket, for options: KingfisherParsedOptionsInfo, beside outcomes: Outcomes
    ) -> Reservation {
        let pixels = options.processingMemory(for: .data(data))
        let need = data.count + pixels
        guard need <= ticket.budget else { return .exceedsBudget(ticket.excess(need)) }
        let kept = Kept(outcomes)
        self.kept.withLock { $0 = kept }
        // Spare room in the body's block, and what was made for others, must not refuse this one.
        let total = min(heldBytes + pixels + outcomes.bytes, ticket.budget)
        let answer = ticket.reserve(total: total) { [self] in enqueue() }
        return answer == .reserved ? .reserved : .waits
    }

    private func process(with options: KingfisherParsedOptionsInfo) -> Outcome {
        let item = ImageProcessItem.data(data)
        guard let image = options.process(item, of: session.originalURL?.absoluteString ?? "") else {
            return .failure(
                .processorError(reason: .processingFailed(processor: options.processor, item: item)))
        }
        if let url = session.originalURL, let delegate = downloader.delegate {
            delegate.imageDownloader(
                downloader, didDownload: image, for: url, with: arrival.response.httpURLResponse)
        }
        var result = ImageLoadingResult(
            image: image, url: session.originalURL, originalData: data, metrics: metrics)
        result.arrival = arrival
        return .success(result)
    }
}

extension ImageLoadingResult {
    /// The result with the memory that its bytes are part of, for a caller whose manager has a budget.
    fileprivate func holding(
        _ ticket: AdmissionTicket?, for callback: SessionDataTask.Callback
    ) -> ImageLoadingResult {
        guard callback.admission != nil else { return self }
        var result = self
        result.ticket = ticket
        return result
    }
}
