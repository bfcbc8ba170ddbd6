import CJPEG

enum JPEGStatus {
    static func check(
        _ call: (UnsafeMutablePointer<CChar>?) -> kf_jpeg_status
    ) throws(ImageCodecError) {
        var message = [CChar](repeating: 0, count: Int(KF_JPEG_MESSAGE_LENGTH))
        let status = message.withUnsafeMutableBufferPointer { call($0.baseAddress) }
        let bytes = message.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        switch status {
        case KF_JPEG_OK: return
        case KF_JPEG_TRUNCATED: throw .truncated
        case KF_JPEG_UNSUPPORTED: throw .unsupported(text)
        case KF_JPEG_SIZE_MISMATCH: throw .corrupt("two sizes in one JPEG")
        case KF_JPEG_TOO_MANY_SCANS: throw .corrupt("too many scans for its size")
        case KF_JPEG_TOO_MUCH_MEMORY: throw .tooMuchMemory
        case KF_JPEG_OUT_OF_MEMORY: throw .outOfMemory
        default: throw .corrupt(text)
        }
    }
}
