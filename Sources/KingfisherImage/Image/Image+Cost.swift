extension Image {
    /// Bytes of the decoded pixels, without row padding: what the image costs a memory cache.
    ///
    /// An animation's frames count once for each object, however often it is shown; frames that decode on
    /// demand count as the one that is shown first. Where they are processed from frames that exist in memory
    /// alone, the image holds those as well, and they count, too.
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
    /// Bytes of the distinct images' pixels.
    fileprivate var sampleBytes: Int { Set(self).reduce(0) { $0 + ($1.pixels?.sampleBytes ?? 0) } }
}

extension PixelBuffer {
    fileprivate var sampleBytes: Int { width * height * bitsPerPixel / 8 }
}
