package import Foundation

/// A codec whose every file is read as an animation, and shows its first frame where a still is wanted.
package protocol AnimationCodec: ImageCodec {
    associatedtype Compositor: FrameCompositor

    /// Reads the file's structure; throws when it is broken or above the limits.
    static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<Compositor>
}

extension AnimationCodec {
    package func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try Self.source(data).composedFrame(at: 0)
    }

    package func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let source = try Self.source(data)
        try source.checkPixels()
        // The first frame is shown at once, so its errors belong here; the source keeps it.
        _ = try source.composedFrame(at: 0)
        return source
    }
}
