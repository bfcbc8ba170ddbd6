import Foundation

@testable import KingfisherImage
@testable import KingfisherWebP

extension WebPCodec {
    /// The frames of a complete animation, none of which is decoded; nil for a still.
    static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<WebPCompositor>? {
        try WebPDecoder(EncodedFile(data)).source
    }
}
