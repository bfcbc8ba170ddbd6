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
        try StatedHeaders.run { () throws(ImageCodecError) in
            try decodeStated(data, using: codec, options: options)
        }
    }

    private static func decodeStated(
        _ data: Data, using codec: (any ImageCodec)?, options: ImageCreatingOptions
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
            // The limit applies to all frames; the first alone may fit.
        }
        return try firstFrame(
            of: data, using: codec, scale: options.scale, acceptsPartialImages: acceptsPart)
    }

    /// Decodes a file's first frame. Attaches the file's bytes if the file has no other frame.
    ///
    /// `header` is the file's, if the caller has read it; otherwise it is read at most once.
    static func firstFrame(
        of data: Data, using codec: any ImageCodec, header: ImageHeader? = nil, scale: CGFloat,
        acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> Image {
        var (state, header) = (KingfisherState(), header)
        state.isScalable = codec.capabilities.contains(.decodesAnySize)
        let isPart = acceptsPartialImages && codec.endsEarly(data)
        let keepsFile = codec.keepsFileBytes && !isPart
        if header == nil, keepsFile || state.isScalable { header = try codec.header(of: data) }
        if keepsFile, header?.frameCount == 1 { state.fileBytes = data }
        if state.isScalable, let size = header?.scaled(by: scale) {
            let pixels = try codec.decode(data, shrunkTo: size, acceptsPartialImages: acceptsPartialImages)
            return Image(.still(pixels), scale: scale, state: state)
        }
        let pixels = try codec.decode(data, minimumSize: nil, acceptsPartialImages: acceptsPartialImages)
        return Image(.still(pixels), scale: scale, state: state)
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
        try StatedHeaders.run { () throws(ImageCodecError) in
            try downsampleStated(
                data, using: codec, scale: scale, acceptsPartialImages: acceptsPartialImages, to: target)
        }
    }

    private static func downsampleStated(
        _ data: Data, using codec: (any ImageCodec)?, scale: CGFloat, acceptsPartialImages: Bool,
        to target: (PixelSize) -> PixelSize?
    ) throws(ImageCodecError) -> Image {
        guard let codec = codec.map(ImageCodecs.placed) ?? ImageCodecs.codec(for: data) else {
            throw .unknownFormat
        }
        let header = try codec.header(of: data, acceptsPartialImages: acceptsPartialImages)
        guard let target = target(header.largestSize) else {
            return try firstFrame(
                of: data, using: codec, header: header, scale: scale,
                acceptsPartialImages: acceptsPartialImages)
        }
        let pixels = try codec.decode(data, shrunkTo: target, acceptsPartialImages: acceptsPartialImages)
        var state = KingfisherState()
        state.isScalable = header.scalableSize != nil
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
