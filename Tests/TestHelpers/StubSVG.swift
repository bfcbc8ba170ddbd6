public import KingfisherImage

/// In place of SVG, for tests of what draws with it in modules without it: every document is a black
/// rectangle.
public struct StubSVG: ImageCodec {
    /// A context with the built-in codecs and this one.
    public static let context: DecodingContext = {
        var codecs = CodecRegistry.builtIn
        codecs.register(StubSVG())
        return DecodingContext(codecs: codecs)
    }()

    public let format = ImageFormat(name: "SVG")
    public let fileExtensions = ["svg"]

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        TestDecoder(8, 8) { _ throws(ImageCodecError) in
            try PixelBuffer.decoding(PixelSize(width: 8, height: 8), format: .rgba8Premultiplied) {
                rows, bytesPerRow in
                for offset in 0..<8 * bytesPerRow {
                    rows.storeBytes(of: offset % 4 == 3 ? 255 : 0, toByteOffset: offset, as: UInt8.self)
                }
            }
        }
    }
}
