/// A decoder that reads a file as an animation, and returns its first frame as the still.
package protocol AnimationDecoder: ImageDecoder {
    associatedtype Compositor: FrameCompositor

    var file: EncodedFile { get }
    var compositor: Compositor { get }
}

extension AnimationDecoder {
    var source: ComposedFrameSource<Compositor> { ComposedFrameSource(file, compositor) }

    package func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try source.composedFrame(at: 0).resized(to: target)
    }

    package func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        let source = source
        try source.checkPixels()
        // The first frame is shown immediately, so its errors belong here; the source caches it.
        _ = try source.composedFrame(at: 0)
        return source
    }
}
