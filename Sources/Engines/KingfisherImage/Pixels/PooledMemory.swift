/// Uninitialized memory of `PixelMemory`, which keeps its pages for the next image: page faults cost a tenth
/// of the decoding. Each allocation alone must be within the limit of an image.
final class PooledMemory<Element: BitwiseCopyable> {
    let start: UnsafeMutablePointer<Element>
    private let byteCount: Int

    init?(_ count: Int) {
        byteCount = max(count, 1) * MemoryLayout<Element>.stride
        guard byteCount <= ImageLimits.maximumFrameBytes, let memory = PixelMemory.take(byteCount) else {
            return nil
        }
        start = memory.bindMemory(to: Element.self, capacity: max(count, 1))
    }

    deinit { PixelMemory.giveBack(UnsafeMutableRawPointer(start), count: byteCount) }
}
