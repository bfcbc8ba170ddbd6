import Glibc

/// Memory for the duration of one drawing or coding call: zeroed and 64-byte aligned.
struct Scratch: ~Copyable {
    let bytes: UnsafeMutablePointer<UInt8>
    private let allocation: UnsafeMutableRawPointer

    /// Allocations below this size are not limited: they are tables of fixed size. Larger ones grow with the
    /// image and count towards its limit.
    private static let uncounted = 1 << 20
    private static let alignment = 64

    init(byteCount: Int) throws(ImageCodecError) {
        // `calloc` does not commit pages that are never written, unlike `memset`.
        guard byteCount <= max(ImageLimits.maximumFrameBytes, Self.uncounted),
            byteCount <= .max - Self.alignment
        else { throw .tooMuchMemory }
        guard let start = calloc(1, max(byteCount, 1) + Self.alignment) else { throw .outOfMemory }
        allocation = start
        bytes = start.alignedUp(toMultipleOf: Self.alignment).assumingMemoryBound(to: UInt8.self)
    }

    func samples<Sample>(as type: Sample.Type) -> UnsafeMutablePointer<Sample> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Sample.self)
    }

    deinit {
        free(allocation)
    }
}
