public import Foundation
public import Kingfisher

/// Pictures above this many pixels are only asked for their header: filling memory finds nothing and takes the
/// time of a thousand small ones.
public let fuzzedArea = 1 << 20

/// Asks `codec` for everything that it can make of `data`; ends the process where two answers do not fit together.
public func exercise(_ data: Data, with codec: any ImageCodec) {
    _ = data.withUnsafeBytes(codec.matches)
    guard let header = try? codec.header(of: data) else { return }
    let size = header.displaySize
    precondition(!size.isEmpty && size.area <= ImageLimits.maximumPixels, "a header above the limits")
    guard size.area <= fuzzedArea else { return }

    if let pixels = try? codec.decode(data, minimumSize: nil) {
        precondition(pixels.size == size, "a picture of another size than its header's")
    }
    let minimum = PixelSize(width: 7, height: 5)
    if let scaled = try? codec.decode(data, minimumSize: minimum) {
        precondition(scaled.width <= size.width && scaled.height <= size.height, "a picture that grew")
        precondition(scaled.width >= min(7, size.width), "a picture below the width asked for")
        precondition(scaled.height >= min(5, size.height), "a picture below the height asked for")
    }
    guard let source = try? codec.frameSource(for: data) else { return }
    precondition(source.frameCount == header.frameCount, "a header with other frames")
    // Forwards, then back to the midst: both ways through the composer.
    let played = min(source.frameCount, 8)
    for number in Array(0..<played) + [played / 2] {
        let frame = source.frame(at: number)
        precondition(frame.map { $0.size == size } ?? true, "a frame of another size")
        precondition(source.duration(at: number) > 0, "a frame that is not shown")
    }
}

/// Runs libFuzzer's bytes through `codec`.
public func exercise(_ bytes: UnsafePointer<UInt8>?, _ count: Int, with codec: (any ImageCodec)?) -> Int32 {
    guard let codec else { preconditionFailure("no codec of this format is registered") }
    exercise(Data(UnsafeBufferPointer(start: bytes, count: count)), with: codec)
    return 0
}
