import Glibc

/// Memory that one drawing or coding call works in: zeroed, 64-byte aligned, gone when the call is over.
struct Scratch: ~Copyable {
    let bytes: UnsafeMutablePointer<UInt8>
    /// What `calloc` gave, which is aligned less.
    private let start: UnsafeMutableRawPointer

    /// Tables are of fixed size, far below this; what is larger grows with an image and counts
    /// as its memory.
    private static let uncounted = 1 << 20
    private static let alignment = 64

    /// Throws `tooMuchMemory` above `ImageLimits.maximumFrameBytes`, and `outOfMemory` where there is none.
    init(byteCount: Int) throws(ImageCodecError) {
        // Zeroes that are never written to take no memory, unlike those of `memset`.
        guard byteCount <= max(ImageLimits.maximumFrameBytes, Self.uncounted),
            byteCount <= .max - Self.alignment
        else { throw .tooMuchMemory }
        guard let start = calloc(1, max(byteCount, 1) + Self.alignment) else { throw .outOfMemory }
        self.start = start
        bytes = start.alignedUp(toMultipleOf: Self.alignment).assumingMemoryBound(to: UInt8.self)
    }

    func samples<Sample>(as type: Sample.Type) -> UnsafeMutablePointer<Sample> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Sample.self)
    }

    deinit {
        free(start)
    }
}
