public import Foundation

extension Image {
    /// Makes an image from a file's bytes as `options` ask.
    ///
    /// Decodes with `codec`, or without one, with the registered codec that recognizes the bytes. Runs on the
    /// caller's thread. Processors and serializers find their options in
    /// `KingfisherParsedOptionsInfo.imageCreatingOptions`.
    public static func decode(
        _ data: Data, using codec: (any ImageCodec)? = nil,
        options: ImageCreatingOptions = ImageCreatingOptions()
    ) throws(ImageCodecError) -> Image {
        let file = try opened(data, by: codec, acceptsPartialImages: options.acceptsPartialImages)
        do throws(ImageCodecError) {
            if let source = try file.decoder.frames() { return try animated(source, options: options) }
        } catch .tooManyAnimationPixels where options.onlyFirstFrame {
            // The limit applies to all frames; the first alone may fit.
        }
        return try firstFrame(of: file, options)
    }

    private static func opened(
        _ data: Data, by codec: (any ImageCodec)?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> OpenedFile {
        guard let codec else {
            return try ImageCodecs.open(data, acceptsPartialImages: acceptsPartialImages)
        }
        return try OpenedFile(data, by: codec, acceptsPartialImages: acceptsPartialImages)
    }

    static func firstFrame(
        of file: OpenedFile, _ options: ImageCreatingOptions
    ) throws(ImageCodecError) -> Image {
        let header = file.header
        var state = KingfisherState()
        state.isScalable = file.codec.capabilities.contains(.decodesAnySize)
        let size = state.isScalable ? header.scaled(by: options.scale) : nil
        let pixels = try file.decoder.decode(size.map { .exactly($0) } ?? .full)
        if file.codec.keepsFileBytes, header.frameCount == 1,
            !(options.acceptsPartialImages && file.decoder.endsEarly)
        {
            state.fileBytes = file.data
        }
        return Image(.still(pixels), scale: options.scale, state: state)
    }

    /// Makes an image from frames: the first alone, all of them, or a source that is decoded during playback.
    ///
    /// Frames that would take more than `ImageLimits.maximumFrameBytes` are decoded on demand even when
    /// `options` ask to preload them. `base`, if given, replaces the first frame of an image that decodes on
    /// demand.
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
            // A copy, because the canvas of the first frame is no longer needed.
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

    /// Decodes a file to fit `size` points at `scale`, from no more pixels than needed.
    ///
    /// The longer side of the image becomes the longer side of `size`. An image that is already smaller keeps
    /// its pixels, and so does every image if `size` is not positive; a file that can be decoded at any size,
    /// such as SVG, is never too small. An animation gives its first frame. Decodes with `codec`, or without
    /// one, with the registered codec that recognizes the bytes. Works on the caller's thread.
    public static func downsample(
        _ data: Data, using codec: (any ImageCodec)? = nil, to size: CGSize, scale: CGFloat,
        acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> Image {
        try downsample(data, using: codec, scale: scale, acceptsPartialImages: acceptsPartialImages) { full in
            full.shrunk(toLongerSide: max(size.width, size.height) * scale)
        }
    }

    /// Decodes a file to the pixel size that `target` returns for its full size, from no more pixels than
    /// needed. If `target` returns nil, the image keeps its pixels. An animation gives its first frame.
    package static func downsample(
        _ data: Data, using codec: (any ImageCodec)? = nil, scale: CGFloat,
        acceptsPartialImages: Bool = false, to target: (_ full: PixelSize) -> PixelSize?
    ) throws(ImageCodecError) -> Image {
        let file = try opened(data, by: codec, acceptsPartialImages: acceptsPartialImages)
        guard let target = target(file.header.largestSize) else {
            var options = ImageCreatingOptions(scale: scale)
            options.acceptsPartialImages = acceptsPartialImages
            return try firstFrame(of: file, options)
        }
        let pixels = try file.decoder.decode(.exactly(target))
        var state = KingfisherState()
        state.isScalable = file.header.scalableSize != nil
        return Image(.still(pixels), scale: scale, state: state)
    }
}

extension PixelSize {
    /// The size with the same aspect ratio whose longer side is `side`, rounded; nil if that is not smaller.
    package func shrunk(toLongerSide side: Double) -> PixelSize? {
        let longer = max(width, height)
        guard side.isFinite, side.rounded() >= 1, side.rounded() < Double(longer) else { return nil }
        let ratio = side.rounded() / Double(longer)
        return PixelSize(
            width: max(1, Int((Double(width) * ratio).rounded())),
            height: max(1, Int((Double(height) * ratio).rounded())))
    }
}
