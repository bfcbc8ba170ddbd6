import CAVIF
import KingfisherCodecSupport

/// The conversion of a file's colours to sRGB.
enum AVIFColors {
    /// By the ICC profile, or else by the `nclx` code points; nil for sRGB and for unknown ones.
    static func transform(_ image: UnsafePointer<avifImage>, _ info: AVIFInfo) -> ICCTransform? {
        let depth: PixelFormat.Depth = image.pointee.depth > 8 ? .sixteen : .eight
        let icc = image.pointee.icc
        if icc.size > 0, let bytes = icc.data {
            let profile = ByteReader(UnsafeRawBufferPointer(start: bytes, count: icc.size))
            return ICCTransform.toSRGB(
                from: profile, of: info.isGrayscale ? .grayInColor(depth) : .rgb(depth))
        }
        return encoding(of: image.pointee)?.transform(of: .rgb(depth))
    }

    /// The colours of the `nclx` code points; nil for unknown ones.
    static func encoding(of image: avifImage) -> ColorEncoding? {
        ColorEncoding(
            primaries: specified(Int(image.colorPrimaries)) ?? 1,
            transfer: specified(Int(image.transferCharacteristics)) ?? 13)
    }

    /// Nil for the code points "reserved" and "unspecified", which many writers leave there.
    private static func specified(_ codePoint: Int) -> Int? {
        codePoint == 0 || codePoint == 2 ? nil : codePoint
    }
}
