import Foundation
import FuzzHarness
import KingfisherAVIF
import KingfisherCodecSupport

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let limits = ImageLimits(maximumPixels: fuzzedArea, maximumFrames: 64, maximumFrameBytes: 1 << 26)
    DecodingContext(limits: limits).run {
        exercise(data, with: AVIFCodec())
        exerciseIncrementally(data)
    }
    return 0
}

/// Feeds the bytes in pieces, whose length the last byte selects.
///
/// Not shorter ones: for each piece, libavif takes and releases memory of the length that an item declares,
/// up to the limit, and Address Sanitizer marks all of it.
private func exerciseIncrementally(_ data: Data) {
    let piece = 64 + Int(data.last ?? 0) * 4
    let decoder = AVIFIncrementalDecoder()
    do {
        for start in stride(from: 0, to: data.count, by: piece) {
            try decoder.append(data[start..<min(start + piece, data.count)])
        }
        guard let header = decoder.header, let image = try decoder.image() else { return }
        precondition(image.size == header.displaySize, "the image size differs from the header")
    } catch {
        precondition((try? decoder.image()) == nil, "there is an image after an error")
    }
}
