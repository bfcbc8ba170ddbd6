public import KingfisherImage

/// The decoder of a test format: a header, and what decodes the pixels.
public struct TestDecoder: ImageDecoder {
    public typealias Decode = @Sendable (DecodingTarget) throws(ImageCodecError) -> PixelBuffer
    public typealias Frames = @Sendable () throws(ImageCodecError) -> (any ImageFrameSource)?

    public let header: ImageHeader
    public let endsEarly: Bool
    private let decodePixels: Decode
    private let makeFrames: Frames

    public init(
        _ header: ImageHeader, endsEarly: Bool = false,
        frames: @escaping Frames = { () throws(ImageCodecError) in nil }, decode: @escaping Decode
    ) {
        (self.header, self.endsEarly, decodePixels, makeFrames) = (header, endsEarly, decode, frames)
    }

    /// A decoder of a still with sides of `width` and `height` pixels.
    public init(_ width: Int, _ height: Int, decode: @escaping Decode) {
        self.init(ImageHeader(size: PixelSize(width: width, height: height)), decode: decode)
    }

    public func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try decodePixels(target).resized(to: target)
    }

    public func frames() throws(ImageCodecError) -> (any ImageFrameSource)? { try makeFrames() }
}
