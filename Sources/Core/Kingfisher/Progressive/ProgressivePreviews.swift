import Dispatch
import Foundation
import KingfisherImage
import Synchronization

/// Makes previews of a progressive JPEG during its download (`.progressiveJPEG`), for a view or for the
/// events of a load: finds scans in the received bytes, creates previews in the background, and displays
/// them.
///
/// The bytes stay in the download and are borrowed. A corrupt file ends the previews; the load reports the
/// error.
final class ProgressivePreviews: DownloadObserver {
    /// Displays a preview. Returns the pixels that the next one needs, if they are known.
    typealias Display = @Sendable (KFCrossPlatformImage) -> PreviewMaker.Target?

    /// Shared by all loads, so that only one image at a time uses memory for its coefficients.
    static let queue = DispatchQueue(label: "com.onevcat.Kingfisher.previews", qos: .utility)

    private struct State {
        /// Weak, because the session's callers hold this object.
        weak var session: SessionDataTask?
        var scans = JPEGScans()
        var plan: PreviewPlan
        var target: PreviewMaker.Target?
        /// Numbers the downloads, to recognise work for an earlier one.
        var round = 0
        var isOver = false

        mutating func next() -> Order? {
            guard !isOver, let size = scans.size,
                let count = plan.next(complete: scans.ends.count, area: size.area)
            else { return nil }
            return Order(scans: count, end: scans.ends[count - 1], round: round)
        }
    }

    /// A preview to create: the number of scans, the end of the last one in bytes, and the download.
    private struct Order: Sendable {
        let scans: Int
        let end: Int
        let round: Int
    }

    private let maker: PreviewMaker
    private let progressive: ImageProgressive
    private let timer: any DelayTimer
    private let queue: CallbackQueue
    private let isWanted: @Sendable () -> Bool
    private let prepare: @Sendable (KFCrossPlatformImage) -> Void
    private let display: Display
    private let state: Mutex<State>

    /// - Parameters:
    ///   - target: The pixels that the first preview needs, if they are known.
    ///   - queue: Where `display` runs.
    ///   - isWanted: Called on any thread.
    ///   - prepare: Called with each preview in the background, before it is displayed.
    init(
        _ progressive: ImageProgressive, options: KingfisherParsedOptionsInfo,
        target: PreviewMaker.Target? = nil, on queue: CallbackQueue = .mainAsync,
        timer: any DelayTimer = DispatchDelayTimer(), isWanted: @escaping @Sendable () -> Bool,
        prepare: @escaping @Sendable (KFCrossPlatformImage) -> Void = { _ in }, display: @escaping Display
    ) {
        maker = PreviewMaker(options: options, isBlurred: progressive.isBlur)
        self.progressive = progressive
        self.timer = timer
        self.queue = queue
        self.isWanted = isWanted
        self.prepare = prepare
        self.display = display
        state = Mutex(State(plan: PreviewPlan(progressive), target: target))
    }

    func didReceive(from session: SessionDataTask) {
        let isWanted = isWanted()
        let order = state.withLock { state -> Order? in
            if state.session !== session {
                state.session = session
                state.scans = JPEGScans()
                state.plan = PreviewPlan(progressive)
                state.round += 1
                state.isOver = false
            }
            if !isWanted { state.isOver = true }
            guard !state.isOver, !state.scans.isOver else { return nil }
            session.withBody { body in
                state.scans.take(UnsafeRawBufferPointer(rebasing: body.dropFirst(state.scans.offset)))
            }
            // The file is complete and will be decoded by the load.
            if state.scans.isProgressive == false || state.scans.hasEnd { state.isOver = true }
            return state.next()
        }
        make(order)
    }

    func didEnd(_ session: SessionDataTask) {
        state.withLock { state in
            if state.session === session { state.isOver = true }
        }
    }

    private func make(_ order: Order?) {
        guard let order else { return }
        Self.queue.async { self.perform(order) }
    }

    private func perform(_ order: Order) {
        guard isActive(order), let session = state.withLock({ $0.session }) else { return }
        let target = state.withLock(\.target)
        let file = session.withBody { Data($0.prefix(order.end)) + [0xFF, 0xD9] }
        guard let image = maker.image(of: file, scans: order.scans, target: target) else {
            return state.withLock { state in
                if state.round == order.round { state.isOver = true }
            }
        }
        guard isActive(order) else { return }
        prepare(image)
        queue.execute { [self] in
            guard isActive(order) else { return }
            didShow(order, display(image))
        }
    }

    private func didShow(_ order: Order, _ target: PreviewMaker.Target?) {
        let rest = state.withLock { state -> TimeInterval? in
            guard state.round == order.round else { return nil }
            if let target { state.target = target }
            return state.plan.didShow()
        }
        guard let rest else { return make(state.withLock { $0.next() }) }
        timer.after(rest) { [weak self] in self?.didRest(order) }
    }

    private func didRest(_ order: Order) {
        make(
            state.withLock { state in
                guard state.round == order.round else { return nil }
                state.plan.didRest()
                return state.next()
            })
    }

    private func isActive(_ order: Order) -> Bool {
        isWanted() && state.withLock { $0.round == order.round && !$0.isOver }
    }
}
