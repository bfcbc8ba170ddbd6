public import Foundation
public import Kingfisher

/// Images above this many pixels are only asked for their header: filling memory finds nothing and takes
/// the time of a thousand small ones.
public let fuzzedArea = 1 << 20

/// Asks `codec` for everything that it can make of `data`; ends the process where two answers
/// do not fit together.
public func exercise(_ data: Data, with codec: any ImageCodec) {
    _ = data.withUnsafeBytes(codec.matches)
    guard let header = try? codec.header(of: data) else { return exercisePart(data, with: codec) }
    let size = header.displaySize
    precondition(!size.isEmpty && size.area <= ImageLimits.maximumPixels, "a header above the limits")
    guard size.area <= fuzzedArea else { return }

    let whole = try? codec.decode(data, minimumSize: nil)
    precondition(whole.map { $0.size == size } ?? true, "an image of another size than its header's")
    let partial = try? codec.decode(data, minimumSize: nil, acceptsPartialImages: true)
    precondition(partial.map { $0.size == size } ?? true, "a partial image of another size")
    precondition(
        whole == nil || partial != nil, "a whole image that is refused where partial ones are accepted")
    let minimum = PixelSize(width: 7, height: 5)
    if let scaled = try? codec.decode(data, minimumSize: minimum) {
        precondition(scaled.width <= size.width && scaled.height <= size.height, "an image that grew")
        precondition(scaled.width >= min(7, size.width), "an image below the width asked for")
        precondition(scaled.height >= min(5, size.height), "an image below the height asked for")
    }
    guard let source = try? codec.frameSource(for: data) else { return }
    precondition(source.frameCount == header.frameCount, "a header with other frames")
    for number in numbers(of: source, of: data, size) {
        let frame = source.frame(at: number)
        precondition(frame.map { $0.size == size } ?? true, "a frame of another size")
        precondition(source.duration(at: number) > 0, "a frame that is not shown")
    }
}

/// What arrived of a file that is not whole.
private func exercisePart(_ data: Data, with codec: any ImageCodec) {
    guard let size = try? codec.header(of: data, acceptsPartialImages: true).displaySize else { return }
    precondition(!size.isEmpty && size.area <= ImageLimits.maximumPixels, "a header above the limits")
    guard size.area <= fuzzedArea else { return }
    let part = try? codec.decode(data, minimumSize: nil, acceptsPartialImages: true)
    precondition(part.map { $0.size == size } ?? true, "a part of another size than its header's")
    guard part != nil, let frames = try? codec.frameSource(for: data, acceptsPartialImages: true) else {
        return
    }
    precondition(codec.endsEarly(data), "a part of a file that is whole")
    let file = frames.data.flatMap { try? codec.frameSource(for: $0) }
    precondition(file?.frameCount == frames.frameCount, "frames that are not those of their file")
}

/// Forwards, then back to the midst: both ways through the composer. One input in four asks for frames far
/// behind as well, unless that takes too long.
private func numbers(of source: any ImageFrameSource, of data: Data, _ size: PixelSize) -> [Int] {
    let count = source.frameCount
    let near = min(count, 8)
    let order = Array(0..<near) + [near / 2]
    guard count > near, data.count % 4 == 0, count * size.area <= 4 * fuzzedArea else { return order }
    let far = near + data.reduce(0) { $0 + Int($1) } % (count - near)
    return order + [far, count - 1, far / 2, far]
}

/// What reads and writes `format`.
public func registeredCodec(for format: ImageFormat) -> any ImageCodec {
    guard let codec = ImageCodecs.codec(for: format) else { preconditionFailure("no codec of \(format)") }
    return codec
}
