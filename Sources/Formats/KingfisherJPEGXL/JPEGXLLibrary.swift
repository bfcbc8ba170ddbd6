import CJPEGXL
import KingfisherCodecSupport

/// libjxl, which is loaded at first use.
enum JPEGXLLibrary {
    /// Throws `unsupported` with the name of the package if the library is missing.
    static var functions: kf_jxl_functions {
        get throws(ImageCodecError) {
            guard let table = kf_jxl() else {
                throw .unsupported("JPEG XL without \(String(cString: kf_jxl_missing()))")
            }
            return table.pointee
        }
    }

    static var version: String {
        guard let number = kf_jxl()?.pointee.JxlDecoderVersion() else { return "libjxl is missing" }
        return "libjxl \(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }
}

/// The memory that libjxl takes by its allocation functions, limited.
///
/// libjxl 0.7 uses them for few of its blocks, so that `JPEGXLInfo.workingMemory` is also checked. Not for
/// concurrent use; it must outlive the decoder or encoder.
final class JPEGXLMemory {
    private let counter = UnsafeMutablePointer<kf_jxl_memory>.allocate(capacity: 1)

    private let limit: Int

    init(_ limits: ImageLimits) {
        limit = max(0, limits.maximumFrameBytes)
        counter.initialize(to: kf_jxl_memory(used: 0, limit: limit, refused: 0))
    }

    deinit { counter.deallocate() }

    var manager: JxlMemoryManager { kf_jxl_memory_manager(counter) }
    var isExhausted: Bool { counter.pointee.refused != 0 }

    /// Leaves room for `bytes` of ours.
    func reserve(_ bytes: Int) { counter.pointee.limit = limit - min(bytes, limit) }
}
