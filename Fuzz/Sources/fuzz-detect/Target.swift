import Foundation
import FuzzHarness
import Kingfisher
import KingfisherWebP

/// Whose bytes these are, and what their header says: every file meets this first.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    registerOnce()
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let format = data.kf.imageFormat
    if let info = data.kf.imageInfo {
        precondition(info.format == format && format != .unknown, "a header of another format")
        precondition(info.width > 0 && info.height > 0, "a header without pixels")
        precondition(info.width * info.height <= ImageLimits.maximumPixels, "a header above the limits")
        precondition(
            info.frameCount >= 1 && info.frameCount <= ImageLimits.maximumFrames, "a number of frames")
        precondition(
            info.timing.map { $0.durations.count == info.frameCount } ?? true, "another number of delays")
        precondition([1, 2, 4, 8, 16].contains(info.bitsPerComponent) || format == .JPEG, "an odd depth")
    }
    let codec = ImageCodecs.codec(for: data)
    precondition(codec?.format ?? .unknown == format, "two answers about the format")
    precondition(count > 8 || codec == nil, "a format in eight bytes")
    _ = codec?.endsEarly(data)
    // Every codec is asked, not only the one that knows the bytes: callers may name theirs.
    for format in ImageCodecs.formats {
        guard let header = try? registeredCodec(for: format).header(of: data) else { continue }
        precondition(!header.size.isEmpty, "a header without pixels")
    }
    for marker in [ImageFormat.JPEGMarker.SOF2, .RSTn(3), .APPn, .EOI] { _ = data.kf.contains(jpeg: marker) }
    return 0
}

private let registered: Void = ImageCodecs.register(.webP)

private func registerOnce() { registered }
