public import Foundation
public import Kingfisher

/// For images above this size only the header is read: filling memory finds no bugs and takes as long as a
/// thousand small images.
public let fuzzedArea = 1 << 20

/// Calls the functions of `codec` and of its decoders with `data`. Traps if two results are inconsistent.
public func exercise(_ data: Data, with codec: any ImageCodec) {
    _ = data.withUnsafeBytes(codec.matches)
    exerciseGainMap(data, with: codec)
    guard let decoder = opened(data, by: codec) else { return exercisePart(data, with: codec) }
    let header = decoder.header
    let size = header.displaySize
    let blocks = try? decoder.metadata()
    precondition(
        (blocks?.byteCount ?? 0) <= ImageMetadataBlocks.maximumBytes, "more metadata than the limit")
    _ = try? ImageMetadata(of: data, using: codec)
    let isScalable = header.scalableSize != nil
    precondition(
        !size.isEmpty && (isScalable || size.area <= ImageLimits.maximumPixels),
        "the header is above the limits")
    guard size.area <= fuzzedArea else { return }

    let whole = try? decoder.decode(.full)
    precondition(whole.map { $0.size == size } ?? true, "the image size differs from the header")
    let partial = try? opened(data, by: codec, acceptsPartialImages: true)?.decode(.full)
    precondition(partial.map { $0.size == size } ?? true, "the size of the partial image differs")
    precondition(
        whole == nil || partial != nil, "a whole image that is refused where partial ones are accepted")
    exerciseScaling(decoder)
    guard let source = try? decoder.frames() else { return }
    precondition(source.frameCount == header.frameCount, "the number of frames differs from the header")
    for number in numbers(of: source, of: data, size) {
        let frame = source.frame(at: number)
        precondition(frame.map { $0.size == size } ?? true, "the size of a frame differs")
        precondition(source.duration(at: number) > 0, "a frame has no duration")
    }
}

/// Writes the gain map of a file into the file without it. Traps if it has changed.
private func exerciseGainMap(_ data: Data, with codec: any ImageCodec) {
    guard let map = codec.gainMap(in: data) else { return }
    precondition(!map.size.isEmpty && map.size.area <= ImageLimits.maximumPixels, "above the limits")
    precondition(!map.forms.isEmpty && !map.capacity.isNaN, "a gain map without parameters")
    guard codec.format == .JPEG, let plain = try? JPEGMetadataEdit.removeAll.applied(to: data) else { return }
    precondition(codec.gainMap(in: plain) == nil, "a gain map that was removed")
    guard let written = try? codec.adding(map, to: plain) else { return }
    precondition(codec.gainMap(in: written) == map, "another gain map than written")
}

private func exerciseScaling(_ decoder: any ImageDecoder) {
    let size = decoder.header.displaySize
    let isScalable = decoder.header.scalableSize != nil
    _ = try? decoder.decode(.exactly(PixelSize(width: 8, height: 6)))
    guard let scaled = try? decoder.decode(.atLeast(PixelSize(width: 7, height: 5))) else { return }
    precondition(
        isScalable || scaled.width <= size.width && scaled.height <= size.height,
        "the scaled image is larger than the original")
    precondition(
        scaled.width >= (isScalable ? 7 : min(7, size.width)), "the scaled image is narrower than requested")
    precondition(
        scaled.height >= (isScalable ? 5 : min(5, size.height)), "the scaled image is lower than requested")
}

/// Decodes a truncated file.
private func exercisePart(_ data: Data, with codec: any ImageCodec) {
    guard let decoder = opened(data, by: codec, acceptsPartialImages: true) else { return }
    let size = decoder.header.displaySize
    precondition(!size.isEmpty && size.area <= ImageLimits.maximumPixels, "the header is above the limits")
    guard size.area <= fuzzedArea else { return }
    let part = try? decoder.decode(.full)
    precondition(
        part.map { $0.size == size } ?? true, "the size of the partial image differs from the header")
    guard part != nil, let frames = try? decoder.frames() else { return }
    precondition(decoder.endsEarly, "decoded a part of a complete file")
    let file = try? frames.data.flatMap { opened($0, by: codec) }?.frames()
    precondition(file?.frameCount == frames.frameCount, "the number of frames differs from the file")
}

/// Requests frames forwards, then backwards to the middle, for both paths through the composer. One input in
/// four also requests distant frames, unless that takes too long.
private func numbers(of source: any ImageFrameSource, of data: Data, _ size: PixelSize) -> [Int] {
    let count = source.frameCount
    let near = min(count, 8)
    let order = Array(0..<near) + [near / 2]
    guard count > near, data.count % 4 == 0, count * size.area <= 4 * fuzzedArea else { return order }
    let far = near + data.reduce(0) { $0 + Int($1) } % (count - near)
    return order + [far, count - 1, far / 2, far]
}

/// The decoder of `data`; nil if `codec` rejects them.
public func opened(
    _ data: Data, by codec: any ImageCodec, acceptsPartialImages: Bool = false
) -> (any ImageDecoder)? {
    try? codec.open(EncodedFile(data, acceptsPartialImages: acceptsPartialImages))
}

/// The codec of `format`.
public func registeredCodec(for format: ImageFormat) -> any ImageCodec {
    guard let codec = ImageCodecs.codec(for: format) else { preconditionFailure("no codec of \(format)") }
    return codec
}
