import CAVIF
import KingfisherCodecSupport

/// libavif, which is loaded at first use, because its AV1 codecs take milliseconds to load.
enum AVIFLibrary {
    /// Throws `unsupported` with the name of the package if the library is missing.
    static var functions: kf_avif_functions {
        get throws(ImageCodecError) {
            guard let table = kf_avif() else {
                throw .unsupported("AVIF without \(String(cString: kf_avif_missing()))")
            }
            return table.pointee
        }
    }

    static func text(of result: avifResult) -> String {
        guard let text = kf_avif()?.pointee.avifResultToString(result) else { return "\(result.rawValue)" }
        return String(cString: text)
    }
}
