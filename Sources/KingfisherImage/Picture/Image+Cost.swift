extension Image {
    /// Bytes of the decoded pixels, without row padding: what the picture costs a memory cache.
    ///
    /// An animation's frames count once for each object, however often it is shown; frames that decode on
    /// demand count as the one that is shown first.
    package var costInBytes: Int {
        switch representation {
        case .empty: 0
        case .still(let pixels), .source(_, let pixels): pixels.sampleBytes
        case .frames(let frames, _): Set(frames).reduce(0) { $0 + ($1.pixels?.sampleBytes ?? 0) }
        }
    }
}

extension PixelBuffer {
    fileprivate var sampleBytes: Int { width * height * bitsPerPixel / 8 }
}
