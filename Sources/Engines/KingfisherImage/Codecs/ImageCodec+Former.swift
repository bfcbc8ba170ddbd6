public import Foundation

/// What codecs implemented before 0.2.0: codecs of other packages get these messages. See "Writing an
/// extension".
extension ImageCodec {
    @available(*, unavailable, message: "implement open(_:); the header is ImageDecoder.header")
    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader { throw .unknownFormat }

    @available(*, unavailable, message: "implement ImageDecoder.memory(for:)")
    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        throw .unknownFormat
    }

    @available(*, unavailable, message: "implement open(_:), whose file has acceptsPartialImages")
    public func header(
        of data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> ImageHeader { throw .unknownFormat }

    @available(*, unavailable, message: "implement ImageDecoder.decode(_:) for .full and .atLeast")
    public func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        throw .unknownFormat
    }

    @available(*, unavailable, message: "implement ImageDecoder.decode(_:) for .full and .atLeast")
    public func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer { throw .unknownFormat }

    @available(*, unavailable, message: "implement ImageDecoder.decode(_:) for .exactly")
    public func decode(
        _ data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer { throw .unknownFormat }

    @available(*, unavailable, message: "implement ImageDecoder.endsEarly")
    public func endsEarly(_ data: Data) -> Bool { false }

    @available(*, unavailable, message: "implement ImageDecoder.frames()")
    public func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? { nil }

    @available(*, unavailable, message: "implement ImageDecoder.frames()")
    public func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? { nil }

    @available(*, unavailable, message: "implement ImageDecoder.metadata()")
    public func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        throw .unknownFormat
    }
}

@available(*, unavailable, message: "implement ImageDecoder.decode(_:), with DecodedPixels for .exactly")
public typealias DeferredColorCodec = ImageCodec
