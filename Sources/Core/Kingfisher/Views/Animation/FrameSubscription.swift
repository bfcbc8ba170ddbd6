import Foundation
import KingfisherImage

/// One player's subscription to the frames of an animation, from `init` to `deinit`. Decodes on the caller's
/// thread. Safe from any thread.
final class FrameSubscription: Sendable {
    private let budget: FrameBudget
    private let key: FrameLedger.Key
    private let id: Int
    private let decoders: FrameDecoders

    /// Subscribes to the frames of `image`, decoded to `size` pixels; nil for their full size.
    ///
    /// `notify` is called on the decoding thread when an awaited frame is decoded.
    init(
        _ image: Image, _ source: any ImageFrameSource, durations: [TimeInterval], size: PixelSize?,
        at index: Int, ahead: Int, budget: FrameBudget, notify: @escaping @Sendable () -> Void
    ) {
        self.budget = budget
        let size = size == image.pixels?.size ? nil : size
        let pixels = size ?? image.pixels?.size ?? PixelSize(width: 1, height: 1)
        let key = FrameLedger.Key(source: Self.identity(of: source, in: image), size: pixels)
        self.key = key
        (id, decoders) = budget.withLedger { ledger in
            ledger.join(
                key, AnimationFrames.Player(index: index, ahead: ahead, notify: notify),
                make: {
                    // Rows are padded to 64 bytes.
                    let pixelBytes = image.pixels?.format.bytesPerPixel ?? 4
                    let bytes = (pixels.width * pixelBytes + 63) / 64 * 64 * pixels.height
                    return AnimationFrames(
                        FrameDecoders(source, of: image, size: size),
                        loop: FrameLoop(durations: durations), frameBytes: bytes)
                })
        }
    }

    deinit {
        let frames = budget.withLedger { $0.leave(key, id) }
        withExtendedLifetime(frames) {}
    }

    /// Copies of an image share their source. A source that is a value has no identity; the image is used.
    private static func identity(of source: any ImageFrameSource, in image: Image) -> ObjectIdentifier {
        type(of: source) is AnyObject.Type
            ? ObjectIdentifier(source as AnyObject) : ObjectIdentifier(image)
    }

    func take(_ index: Int) -> AnimationFrames.Slot {
        budget.withLedger { $0.take(index, key, id) }
    }

    func frame(at index: Int) -> PixelBuffer? {
        budget.withLedger { ledger in
            guard case .ready(let pixels) = ledger.animations[key]?.slots[index] else { return nil }
            return pixels
        }
    }

    func setActive(_ isActive: Bool) {
        budget.withLedger { $0.setActive(isActive, key, id) }
    }

    func purge(keepCurrent: Bool) {
        budget.withLedger { $0.purge(key, id, keepCurrent: keepCurrent) }
    }

    var hasWork: Bool { budget.withLedger { $0.hasWork(key) } }

    func fill() {
        guard budget.withLedger({ $0.beginFilling(key) }) else { return }
        while let job = budget.withLedger({ $0.claim(key) }) {
            decode(job.index, mayAddDecoder: job.mayAddDecoder)
        }
    }

    func fetch(_ index: Int) {
        guard budget.withLedger({ $0.claim(index, key) }) else { return }
        decode(index, mayAddDecoder: false)
    }

    private func decode(_ index: Int, mayAddDecoder: Bool) {
        let pixels = decoders.frame(at: index, mayAdd: mayAddDecoder)
        let waiting = budget.withLedger { $0.complete(index, key, pixels: pixels) }
        for notify in waiting { notify() }
    }
}
