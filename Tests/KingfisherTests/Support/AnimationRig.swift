import Foundation
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// An animation whose frames are filled with their own index. Counts how often each frame is decoded.
final class StubFrames: ImageFrameSource {
    struct Log: Sendable {
        var decoded: [Int: Int] = [:]
        var sizes: Set<PixelSize> = []
        var copies = 0
        var isClosed = false
        /// The number of frames that a forward-only decoder would have composed.
        var composed = 0
    }

    final class Shared: Sendable {
        let log = Mutex(Log())
    }

    let data: Data? = nil
    let durations: [TimeInterval]
    let size: PixelSize
    let broken: Set<Int>
    let shared: Shared
    private let next = Mutex(0)

    var frameCount: Int { durations.count }
    var log: Log { shared.log.withLock { $0 } }

    init(
        _ durations: [TimeInterval], width: Int = 4, height: Int = 4, broken: Set<Int> = [],
        shared: Shared = Shared()
    ) {
        self.durations = durations
        self.size = PixelSize(width: width, height: height)
        self.broken = broken
        self.shared = shared
    }

    func duration(at index: Int) -> TimeInterval { durations[index] }

    /// Between `close()` and `open()` a request for a frame blocks.
    func close() { shared.log.withLock { $0.isClosed = true } }
    func open() { shared.log.withLock { $0.isClosed = false } }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        while log.isClosed { usleep(500) }
        let size = maxSize.map { PixelSize(width: Int($0.width), height: Int($0.height)) } ?? size
        let steps = next.withLock { next in
            defer { next = index + 1 }
            return index >= next ? index - next + 1 : index + 1
        }
        shared.log.withLock { log in
            log.decoded[index, default: 0] += 1
            log.sizes.insert(size)
            log.composed += steps
        }
        guard !broken.contains(index) else { return nil }
        return try? PixelBuffer(width: size.width, height: size.height, format: .rgba8Opaque) { rows, _ in
            rows.withMemoryRebound(to: UInt8.self) { $0.update(repeating: UInt8(index)) }
        }
    }

    func copy() -> StubFrames {
        shared.log.withLock { $0.copies += 1 }
        return StubFrames(
            durations, width: size.width, height: size.height, broken: broken, shared: shared)
    }

    /// An image that decodes these frames on demand.
    func image(scale: CGFloat = 1) throws -> Image {
        let options = ImageCreatingOptions(scale: scale)
        let image = try #require(KingfisherWrapper<Image>.animatedImage(source: self, options: options))
        shared.log.withLock { $0 = Log() }
        return image
    }
}

extension Image {
    /// The index of the frame of `StubFrames` that this image shows.
    var number: Int? { pixels?.samples(x: 0, y: 0)?.first }
}

/// An animated view with a manual clock, and a recorder of its events.
@MainActor final class AnimationRig {
    let renderer = RecordingRenderer()
    let view: AnimatedImageView
    let budget: FrameBudget
    private let recorder = Recorder()

    /// The events that the delegate received.
    var events: [String] { recorder.events }

    init(budget: FrameBudget = FrameBudget(limit: 64 << 20)) {
        self.budget = budget
        view = AnimatedImageView()
        view.frameBudget = budget
        view.renderer = renderer
        view.delegate = recorder
    }

    var shown: Int? { view.displayedImage?.number }
    var now: TimeInterval { renderer.manualClock.now }

    /// Shows `source` and waits until the frames to prepare are decoded.
    func play(_ source: StubFrames) async throws {
        view.image = try source.image()
        await settle()
    }

    /// Advances the clock to each due frame, and returns the time and index of each frame shown.
    @discardableResult
    func run(for seconds: TimeInterval, settling: Bool = true) async -> [String] {
        let end = now + seconds
        var shows: [String] = []
        while let time = view.nextFrameTime, time <= end + 1e-9 {
            renderer.manualClock.advance(by: time - now)
            let old = shown
            view.advance()
            if settling { await settle() }
            if shown != old { shows.append("\((now * 1000).rounded() / 1000): \(shown ?? -1)") }
        }
        renderer.advance(view, by: end - now)
        if settling { await settle() }
        return shows
    }

    /// Advances the clock once, regardless of how many frames become due.
    func look(after seconds: TimeInterval) async {
        renderer.advance(view, by: seconds)
        await settle()
    }

    /// Waits until pending frames are decoded and the view has received them.
    func settle() async {
        await view.animator?.drain()
        await passMainQueue()
        if view.nextFrameTime == now { view.advance() }
        await view.animator?.drain()
    }

    func show(_ isVisible: Bool) {
        renderer.display.isVisible = isVisible
        view.displayDidChange()
    }

    private final class Recorder: AnimatedImageViewDelegate {
        var events: [String] = []

        func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {
            events.append("loop \(count)")
        }

        func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {
            events.append("end")
        }
    }
}

extension AnimatedImageView.Animator {
    func drain() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
