import Foundation

@testable import KingfisherImage

extension GIFCodec {
    /// The frames of a file, none of which is decoded.
    static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<GIFCompositor> {
        try GIFDecoder(EncodedFile(data)).source
    }
}

extension APNGCodec {
    /// The frames of a file, none of which is decoded.
    static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<APNGCompositor> {
        let file = EncodedFile(data)
        return APNGDecoder(file, try APNGIndex(scanning: file.reader), endsEarly: false).source
    }
}
