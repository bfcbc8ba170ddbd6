/// Dithering by error diffusion (Floyd and Steinberg, "An adaptive algorithm for spatial greyscale", 1976).
///
/// The direction alternates between rows, which reduces artefacts. Transparent pixels do not take part
/// in the diffusion.
enum ErrorDiffusion {
    private typealias Levels = SIMD4<Int32>

    static func indices(
        of pixels: [PalettePixel], width: Int, in colors: [SIMD4<UInt8>], transparent: UInt8
    ) -> [UInt8] {
        var nearest = NearestColor(colors)
        let palette = colors.map { Levels(truncatingIfNeeded: $0) }
        var indices = [UInt8](repeating: transparent, count: pixels.count)
        // In sixteenths of a level, with an extra element before and after each row.
        var errors = [Levels](repeating: Levels(), count: width + 2)
        var next = errors
        for (number, start) in stride(from: 0, to: pixels.count, by: width).enumerated() {
            let step = number % 2 == 0 ? 1 : -1
            var x = step == 1 ? 0 : width - 1
            for _ in 0..<width {
                let pixel = pixels[start + x]
                if !pixel.isTransparent {
                    let wanted = Levels(truncatingIfNeeded: pixel.levels) &+ rounded(errors[x + 1])
                    var shown = wanted.clamped(lowerBound: Levels(), upperBound: Levels(repeating: 255))
                    if pixel.alpha == 255 { shown.w = 255 }
                    let index = nearest.index(of: SIMD4(truncatingIfNeeded: shown))
                    indices[start + x] = index
                    let error = shown &- palette[Int(index)]
                    errors[x + 1 + step] &+= error &* 7
                    next[x + 1 - step] &+= error &* 3
                    next[x + 1] &+= error &* 5
                    next[x + 1 + step] &+= error
                }
                x += step
            }
            swap(&errors, &next)
            for place in next.indices { next[place] = Levels() }
        }
        return indices
    }

    @inline(__always)
    private static func rounded(_ sixteenths: Levels) -> Levels { (sixteenths &+ 8) &>> 4 }
}
