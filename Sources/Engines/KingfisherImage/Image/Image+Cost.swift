extension Image {
    /// Bytes of the decoded pixels, without row padding: the image's cost in a memory cache.
    ///
    /// Each distinct frame object of an animation counts once. An animation decoded on demand counts as its
    /// first frame. If a processor made it from frames that exist only in memory, the image holds those too,
    /// and they count.
    package var costInBytes: Int {
        let originals = (kf.originalFrames as? DecodedFrames)?.frames.sampleBytes ?? 0
        return switch representation {
        case .empty: originals
        case .still(let pixels), .source(_, let pixels): originals + pixels.sampleBytes
        case .frames(let frames, _): originals + frames.sampleBytes
        }
    }
}

extension [Image] {
    fileprivate var sampleBytes: Int { Set(self).reduce(0) { $0 + ($1.pixels?.sampleBytes ?? 0) } }
}

extension PixelBuffer {
    fileprivate var sampleBytes: Int { width * height * bitsPerPixel / 8 }
}
