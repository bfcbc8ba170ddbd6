import CGtk
import KingfisherImage

/// Which pixels GTK takes as they are.
enum TextureFormat {
    /// GTK's name of a layout that it can read in place; nil for grey, which GTK 4.8 does not know.
    static func of(_ format: PixelFormat) -> GdkMemoryFormat? {
        guard format.layout == .rgba else { return nil }
        // Opaque pixels read the same either way. As "straight" they cost the cairo renderer half: 3.9
        // against 8.5 ms for a million pixels, on every frame.
        return switch (format.depth, format.alpha) {
        case (.eight, .premultiplied): GDK_MEMORY_R8G8B8A8_PREMULTIPLIED
        case (.eight, _): GDK_MEMORY_R8G8B8A8
        case (.sixteen, .premultiplied): GDK_MEMORY_R16G16B16A16_PREMULTIPLIED
        case (.sixteen, _): GDK_MEMORY_R16G16B16A16
        }
    }

    /// The same picture in a layout that `of` knows: `pixels` itself, or a copy of grey as RGBA.
    static func drawable(_ pixels: PixelBuffer) -> PixelBuffer? {
        if of(pixels.format) != nil { return pixels }
        return switch pixels.format.depth {
        case .eight: spread(pixels, of: UInt8.self)
        case .sixteen: spread(pixels, of: UInt16.self)
        }
    }

    /// Writes each grey sample three times, followed by alpha.
    private static func spread<Sample: FixedWidthInteger & BitwiseCopyable>(
        _ gray: PixelBuffer, of: Sample.Type
    ) -> PixelBuffer? {
        let channels = gray.format.layout.channels
        let format = PixelFormat(layout: .rgba, depth: gray.format.depth, alpha: gray.format.alpha)
        return try? PixelBuffer(width: gray.width, height: gray.height, format: format) { rows, bytesPerRow in
            gray.withUnsafeBytes { source in
                for y in 0..<gray.height {
                    let input = source[(y * gray.bytesPerRow)...].bindMemory(to: Sample.self)
                    let output = UnsafeMutableRawBufferPointer(rebasing: rows[(y * bytesPerRow)...])
                        .bindMemory(to: Sample.self)
                    for x in 0..<gray.width {
                        let luminance = input[x * channels]
                        output[x * 4] = luminance
                        output[x * 4 + 1] = luminance
                        output[x * 4 + 2] = luminance
                        output[x * 4 + 3] = channels == 2 ? input[x * 2 + 1] : .max
                    }
                }
            }
        }
    }
}
