/// GIF: frames are decompressed and composed on demand, and encoded with one palette each.
///
/// A file without its trailer is `truncated` even if it has complete frames, unless the caller accepts
/// partial images: an interrupted download must not count as the image.
package struct GIFCodec: ImageCodec {
    package init() {}

    package var format: ImageFormat { .GIF }
    package var capabilities: CodecCapabilities {
        [
            .decodesAnimations, .encodesAnimations, .encodesAlpha, .encodesPalette, .readsMetadata,
            .writesMetadata,
        ]
    }
    package var version: String { "Kingfisher" }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0x47, 0x49, 0x46])
    }

    package func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try GIFDecoder(file)
    }
}
