import CWebP
import Foundation

/// What libwebp's own WebPAnimDecoder shows: every frame as RGBA with straight alpha, and when it ends.
enum WebPAnimDecoderReference {
    static func frames(of data: Data) -> [(pixels: [UInt8], end: Int)]? {
        data.withUnsafeBytes { bytes in
            var file = WebPData(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, size: bytes.count)
            guard let decoder = WebPAnimDecoderNew(&file, nil) else { return nil }
            defer { WebPAnimDecoderDelete(decoder) }
            var info = WebPAnimInfo()
            guard WebPAnimDecoderGetInfo(decoder, &info) != 0 else { return nil }
            let count = Int(info.canvas_width) * Int(info.canvas_height) * 4
            var frames: [(pixels: [UInt8], end: Int)] = []
            while WebPAnimDecoderHasMoreFrames(decoder) != 0 {
                var rows: UnsafeMutablePointer<UInt8>?
                var end: Int32 = 0
                guard WebPAnimDecoderGetNext(decoder, &rows, &end) != 0, let rows else { return nil }
                frames.append((Array(UnsafeBufferPointer(start: rows, count: count)), Int(end)))
            }
            return frames
        }
    }
}
