import KingfisherConcurrency
public import Foundation
public import KingfisherImage
import Synchronization

extension AnimatedImageView {
    /// Decodes the frames of one image for one view, shortly before they are due.
    ///
    /// Safe from any thread. The number of cached frames depends on the views that play the image and on the
    /// memory that all views share; see `AnimatedImageView.frameMemoryLimit`.
    public final class Animator: Sendable {
        private struct State {
            var subscription: FrameSubscription
            var scale: FrameScale
            var index = 0
            var isActive = false
        }

        /// The number of frames to decode ahead of the current one.
        public let maxFrameCount: Int
        let image: Image
        let durations: [TimeInterval]
        private let source: any ImageFrameSource
        let queue: DispatchQueue
        private let decodesInBackground: Bool
        private let budget: FrameBudget
        private let frameDidArrive: @Sendable () -> Void
        private let state: Mutex<State>

        /// Creates an animator that decodes frames of `image` on `queue`. Safe from any thread.
        ///
        /// `frameDidArrive` is called on that queue when a frame is decoded that a player waited for.
        package init(
            _ image: Image, source: any ImageFrameSource, framePreloadCount: Int, queue: DispatchQueue,
            decodesInBackground: Bool = true, budget: FrameBudget = .shared,
            frameDidArrive: @escaping @Sendable () -> Void = {}
        ) {
            self.image = image
            self.source = source
            self.queue = queue
            self.budget = budget
            self.decodesInBackground = decodesInBackground
            self.frameDidArrive = frameDidArrive
            maxFrameCount = max(framePreloadCount, 0)
            durations =
                FrameTimeline(
                    durations: (0..<source.frameCount).map(source.duration(at:)), plays: nil
                ).durations
            let subscription = FrameSubscription(
                image, source, durations: durations, size: nil, at: 0, ahead: max(framePreloadCount, 0),
                budget: budget, notify: frameDidArrive)
            state = Mutex(State(subscription: subscription, scale: .full))
        }

        /// The index of the current frame, starting at 0.
        public var currentFrameIndex: Int { state.withLock(\.index) }
        /// The current frame; nil if it is not decoded or is corrupt in the file.
        public var currentFrameImage: Image? { frame(at: currentFrameIndex) }
        /// The duration of the current frame in seconds.
        public var currentFrameDuration: TimeInterval { duration(at: currentFrameIndex) }
        /// Whether the current frame is the last of the animation.
        public var isLastFrame: Bool { currentFrameIndex == durations.count - 1 }

        /// The frame at `index` if it is decoded; never decodes.
        public func frame(at index: Int) -> Image? {
            guard durations.indices.contains(index) else { return nil }
            return subscription.frame(at: index).map(image)
        }

        /// The duration of the frame at `index` in seconds; infinity if the index is out of range.
        public func duration(at index: Int) -> TimeInterval {
            durations.indices.contains(index) ? durations[index] : .infinity
        }

        package func prepareFramesAsynchronously() {
            setActive(true)
            queue.async { [subscription] in subscription.fill() }
        }

        package func purgeFrames(keepCurrentFrame: Bool = true) {
            queue.async { [subscription] in subscription.purge(keepCurrent: keepCurrentFrame) }
        }

        func setScale(_ scale: FrameScale) {
            guard let size = image.pixels?.size else { return }
            let (index, isActive, old) = state.withLock { state in
                defer { state.scale = scale }
                return (state.index, state.isActive, state.scale)
            }
            guard old.pixels(of: size) != scale.pixels(of: size) else { return }
            let subscription = FrameSubscription(
                image, source, durations: durations, size: scale.pixels(of: size), at: index,
                ahead: maxFrameCount, budget: budget, notify: frameDidArrive)
            subscription.setActive(isActive)
            // The old one's deinitializer takes the lock of the budget.
            state.set(\.subscription, to: subscription)
        }

        var scale: FrameScale { state.withLock(\.scale) }

        private var subscription: FrameSubscription { state.withLock(\.subscription) }

        private func image(_ pixels: PixelBuffer) -> Image {
            // The frame has the size of the image in points, independent of its size in pixels.
            let ratio = Double(pixels.width) / Double(image.pixels?.width ?? pixels.width)
            return Image(
                .still(pixels), scale: image.scale * ratio, orientation: image.imageOrientation,
                traits: image.traits)
        }
    }
}

extension AnimatedImageView.Animator: FrameSupply {
    func take(_ index: Int) -> FrameState {
        let subscription = subscription
        if !decodesInBackground { subscription.fetch(index) }
        let slot = subscription.take(index)
        switch slot {
        case .empty, .decoding: return .pending
        case .missing:
            state.withLock { $0.index = index }
            return .missing
        case .ready(let pixels):
            state.withLock { $0.index = index }
            return .ready(image(pixels))
        }
    }

    func setActive(_ isActive: Bool) {
        let subscription = state.withLock { state in
            state.isActive = isActive
            return state.subscription
        }
        subscription.setActive(isActive)
    }

    func prepare() {
        let subscription = subscription
        if decodesInBackground, subscription.hasWork { queue.async { subscription.fill() } }
    }
}
