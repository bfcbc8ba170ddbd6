package import Foundation

/// Animated PNG (PNG, third edition): chunks are read here, libspng decompresses each frame, and frames are
/// composed on demand.
///
/// A still with PNG's signature belongs to `PNGCodec`, even if it declares an animation of one frame. A file
/// without an IEND chunk is `truncated`. Chunks out of order, a wrong number of frames and wrong checksums
/// are `corrupt`; pixel checksums are verified when a frame is decoded. Frames are always RGBA, with 8 bits
/// per sample, or 16 if the file has 16; colours become sRGB, as `PNGColors` says.
package struct APNGCodec: ImageCodec {
    private static let maximumChunksBeforeACTL = 64

    package init() {}

    package var format: ImageFormat { .APNG }
    package var capabilities: CodecCapabilities {
        [
            .decodesAnimations, .decodes16Bits, .encodesStills, .encodesAnimations, .encodesLossless,
            .encodesAlpha, .encodes16Bits, .readsMetadata, .writesMetadata,
        ]
    }
    package var version: String { PNGCodec().version }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: PNGCodec.signature) else { return false }
        let reader = ByteReader(bytes)
        var chunks = PNGChunks(reader)
        for _ in 0..<Self.maximumChunksBeforeACTL {
            guard let chunk = try? chunks.next(), chunk.type != .IDAT else { return false }
            if chunk.type == .acTL { return (reader.uint32(at: chunk.data, bigEndian: true) ?? 0) > 1 }
        }
        return false
    }

    package func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        let index: APNGIndex
        do throws(ImageCodecError) {
            index = try APNGIndex(scanning: file.reader)
        } catch {
            guard file.acceptsPartialImages, let part = file.reading({ APNGPart($0, after: error) }) else {
                throw error
            }
            switch part {
            case .animation(let data):
                let file = file.with(data)
                return APNGDecoder(file, try APNGIndex(scanning: file.reader), endsEarly: true)
            case .still(let data): return try PNGDecoder(file.with(data), isPart: true)
            }
        }
        return APNGDecoder(file, index, endsEarly: false)
    }

    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try PNGCodec().encode(pixels, options: options)
    }

    package func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            try APNGEncoder(frames).encode()
        }
    }
}
