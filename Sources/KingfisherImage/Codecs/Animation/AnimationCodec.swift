package import Foundation

/// A codec that reads every file as an animation, and returns the first frame as the still.
package protocol AnimationCodec: ImageCodec {
    associatedtype Compositor: FrameCompositor

    static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<Compositor>
}

extension AnimationCodec {
    package func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try Self.source(data).composedFrame(at: 0)
    }

    package func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let source = try Self.source(data)
        try source.checkPixels()
        // The first frame is shown immediately, so its errors belong here; the source caches it.
        _ = try source.composedFrame(at: 0)
        return source
    }
}
