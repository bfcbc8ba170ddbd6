import Foundation
import FuzzHarness
import Kingfisher
import KingfisherFormats

/// Format detection and headers, which run first for every file.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    registerOnce()
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let format = data.kf.imageFormat
    if let info = data.kf.imageInfo {
        precondition(info.format == format && format != .unknown, "the header has another format")
        precondition(info.width > 0 && info.height > 0, "the header has no pixels")
        precondition(info.width * info.height <= ImageLimits.maximumPixels, "the header is above the limits")
        precondition(
            info.frameCount >= 1 && info.frameCount <= ImageLimits.maximumFrames,
            "the number of frames is out of range")
        precondition(
            info.timing.map { $0.durations.count == info.frameCount } ?? true,
            "the numbers of delays and frames differ")
        // JPEG XL has samples of 1 to 32 bits, TIFF of up to 64.
        precondition((1...64).contains(info.bitsPerComponent) || format == .JPEG, "the depth is invalid")
    }
    let codec = ImageCodecs.codec(for: data)
    precondition(codec?.format ?? .unknown == format, "detected two formats")
    precondition(count > 8 || codec == nil, "detected a format in eight bytes")
    _ = codec.flatMap { opened(data, by: $0, acceptsPartialImages: true) }?.endsEarly
    // Every codec must handle the bytes, not only the detected one, because callers may select a codec.
    for format in ImageCodecs.formats {
        guard let header = opened(data, by: registeredCodec(for: format))?.header else { continue }
        precondition(!header.size.isEmpty, "the header has no pixels")
    }
    for marker in [ImageFormat.JPEGMarker.SOF2, .RSTn(3), .APPn, .EOI] { _ = data.kf.contains(jpeg: marker) }
    return 0
}

private let registered: Void = ImageCodecs.registerAll()

private func registerOnce() { registered }
