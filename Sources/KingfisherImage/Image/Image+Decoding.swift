public import Foundation

extension Image {
    /// Makes an image from a file's bytes as `options` ask, and says why when it cannot.
    ///
    /// `codec` reads them, or, without one, the registered codec that knows them. Runs on the caller's
    /// thread. Processors and serializers have their options in
    /// `KingfisherParsedOptionsInfo.imageCreatingOptions`.
    public static func decode(
        _ data: Data, using codec: (any ImageCodec)? = nil,
        options: ImageCreatingOptions = ImageCreatingOptions()
    ) throws(ImageCodecError) -> Image {
        guard let codec = codec.map(ImageCodecs.placed) ?? ImageCodecs.codec(for: data) else {
            throw .unknownFormat
        }
        let acceptsPart = options.acceptsPartialImages
        do throws(ImageCodecError) {
            if let source = try codec.frameSource(for: data, acceptsPartialImages: acceptsPart) {
                return try animated(source, options: options)
            }
        } catch .tooManyAnimationPixels where options.onlyFirstFrame {
            // One frame needs none of the others.
        }
        return try firstFrame(
            of: data, using: codec, scale: options.scale, acceptsPartialImages: acceptsPart)
    }

    /// Decodes all pixels of a file's first frame; with the file's bytes, if that frame is all they show.
    static func firstFrame(
        of data: Data, using codec: any ImageCodec, scale: CGFloat, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> Image {
        var state = KingfisherState()
        let isPart = acceptsPartialImages && codec.endsEarly(data)
        if codec.keepsFileBytes, !isPart, try codec.header(of: data).frameCount == 1 {
            state.fileBytes = data
        }
        let pixels = try codec.decode(data, minimumSize: nil, acceptsPartialImages: acceptsPartialImages)
        return Image(.still(pixels), scale: scale, state: state)
    }

    /// Makes an image from frames: the first alone, all of them, or a source that is asked while it plays.
    ///
    /// Frames that would take more than `ImageLimits.maximumFrameBytes` stay on demand even when `options`
    /// ask for all. `base`, where given, stands for the first frame of an image that decodes on demand.
    package static func animated(
        _ source: any ImageFrameSource, options: ImageCreatingOptions, base: Image? = nil
    ) throws(ImageCodecError) -> Image {
        guard source.frameCount > 0, let first = source.frame(at: 0) else {
            throw .corrupt("no first frame")
        }
        var state = KingfisherState()
        state.frameCount = source.frameCount
        state.loopCount = source.loopCount
        state.animatedData = source.data
        state.creatingOptions = options.ofAnimation
        if options.onlyFirstFrame {
            // A copy, because nobody needs the canvas of the first frame any more.
            if source.frameCount > 1 { state.hiddenFrames = source.copy() }
            return Image(.still(first), scale: options.scale, state: state)
        }
        state.frameSource = source
        let image = Image(.source(source, first: first), scale: options.scale, state: state)
        if options.preloadAll, let preloaded = image.preloaded(lasting: options.duration) {
            return preloaded
        }
        guard let base else { return image }
        return Image(
            .source(source, first: base.pixels ?? first), scale: base.scale,
            orientation: base.imageOrientation, state: state)
    }

    /// Decodes a file to fit `size` points at `scale`, shrunk from no more pixels than it takes.
    ///
    /// The longer side of the image becomes the longer side of `size`; an image that is smaller already,
    /// and any image where `size` is not positive, keeps its pixels. Animations give their first frame.
    /// `codec` reads the file, or, without one, the registered codec that knows it. Works on the caller's
    /// thread.
    public static func downsample(
        _ data: Data, using codec: (any ImageCodec)? = nil, to size: CGSize, scale: CGFloat,
        acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> Image {
        try downsample(data, using: codec, scale: scale, acceptsPartialImages: acceptsPartialImages) { full in
            full.shrunk(toLongerSide: max(size.width, size.height) * scale)
        }
    }

    /// Decodes a file to the size in pixels that `target` gives for its full one, shrunk from no more pixels
    /// than it takes; where that is nil, the image keeps its pixels. Animations give their first frame.
    package static func downsample(
        _ data: Data, using codec: (any ImageCodec)? = nil, scale: CGFloat,
        acceptsPartialImages: Bool = false, to target: (_ full: PixelSize) -> PixelSize?
    ) throws(ImageCodecError) -> Image {
        guard let codec = codec.map(ImageCodecs.placed) ?? ImageCodecs.codec(for: data) else {
            throw .unknownFormat
        }
        let header = try codec.header(of: data, acceptsPartialImages: acceptsPartialImages)
        guard let target = target(header.displaySize) else {
            return try firstFrame(
                of: data, using: codec, scale: scale, acceptsPartialImages: acceptsPartialImages)
        }
        let pixels = try codec.decode(data, shrunkTo: target, acceptsPartialImages: acceptsPartialImages)
        return Image(.still(pixels), scale: scale)
    }
}

extension PixelSize {
    /// The size in the same proportions whose longer side is `side`, rounded; nil when that is no smaller.
    package func shrunk(toLongerSide side: Double) -> PixelSize? {
        let longer = max(width, height)
        guard side.isFinite, side.rounded() >= 1, side.rounded() < Double(longer) else { return nil }
        let ratio = side.rounded() / Double(longer)
        return PixelSize(
            width: max(1, Int((Double(width) * ratio).rounded())),
            height: max(1, Int((Double(height) * ratio).rounded())))
    }
}
