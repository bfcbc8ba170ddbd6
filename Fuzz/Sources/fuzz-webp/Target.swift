import Foundation
import FuzzHarness
import KingfisherWebP

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    exercise(data, with: WebPCodec())
    exerciseIncrementally(data)
    return 0
}

/// Feeds the bytes in pieces, whose length the last byte chooses; a finished picture must be the whole decode's.
///
/// Where there is one: libwebp's incremental decoder now and then finishes a bitstream that is a byte too short.
private func exerciseIncrementally(_ data: Data) {
    let piece = 1 + Int(data.last ?? 0) * 4
    let decoder = WebPIncrementalDecoder()
    do {
        for start in stride(from: 0, to: data.count, by: piece) {
            try decoder.append(data[start..<min(start + piece, data.count)])
            if let header = decoder.header, header.size.area > fuzzedArea { return }
        }
        let picture = try decoder.picture()
        guard decoder.isFinished, let picture else { return }
        guard let whole = try? WebPCodec().decode(data, minimumSize: nil) else { return }
        precondition(rows(of: picture) == rows(of: whole), "another picture than the whole decode's")
    } catch {
        precondition((try? decoder.picture()) == nil, "a picture after an error")
    }
}

private func rows(of pixels: PixelBuffer) -> [Data] {
    pixels.withUnsafeBytes { bytes in
        (0..<pixels.height).map { y in
            Data(bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + pixels.width * 4])
        }
    }
}
