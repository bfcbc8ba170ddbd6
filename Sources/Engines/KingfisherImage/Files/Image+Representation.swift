public import Foundation

extension Image {
    /// The upright image (an animation's first frame) as a PNG file; nil for an empty image.
    public func pngData() -> Data? {
        try? encodedStill(using: Self.codec(for: .PNG))
    }

    /// The upright image (an animation's first frame) over white as a JPEG file; nil for an empty image.
    ///
    /// `compressionQuality` is 0...1; from 0.9 on chroma keeps its full resolution.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        try? encodedStill(
            using: Self.codec(for: .JPEG), options: ImageEncodingOptions(quality: compressionQuality))
    }

    /// Encodes the image in a registered format.
    ///
    /// An animation stays animated where the format supports it, with delays and loop count as exact as the
    /// format allows; otherwise its first frame is written. A frame that fails to decode is replaced by the
    /// frame before it. Works on the caller's thread, and decodes all frames of an image whose frames are
    /// decoded on demand. Throws `tooManyBytes` if no file has at most `maximumBytes` of `options`.
    public func encoded(
        as format: ImageFormat, options: ImageEncodingOptions = ImageEncodingOptions()
    ) throws(ImageCodecError) -> Data {
        try encoded(using: try Self.codec(for: format), options: options)
    }

    /// Encodes the image as `encoded(as:options:)` does, with a codec that may be unregistered.
    public func encoded(
        using codec: any ImageCodec, options: ImageEncodingOptions = ImageEncodingOptions()
    ) throws(ImageCodecError) -> Data {
        guard let maximumBytes = options.maximumBytes else { return try encodedFile(using: codec, options) }
        var search = EncodingSearch(maximumBytes: maximumBytes)
        return try search.run(options, with: codec.capabilities) { options throws(ImageCodecError) in
            try encodedFile(using: codec, options)
        }
    }

    private func encodedFile(
        using codec: any ImageCodec, _ options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        var file = try encodedPixels(using: codec, options: options)
        if let blocks = options.metadata { file = try codec.adding(blocks, to: file) }
        if let gainMap = options.gainMap { file = try codec.adding(gainMap, to: file) }
        return file
    }

    private func encodedPixels(
        using codec: any ImageCodec, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        if let frames = animationFrames, let data = try codec.encode(all: frames, options: options) {
            return data
        }
        return try encodedStill(using: codec, options: options)
    }

    private func encodedStill(
        using codec: any ImageCodec, options: ImageEncodingOptions = ImageEncodingOptions()
    ) throws(ImageCodecError) -> Data {
        guard let pixels else { throw .emptyImage }
        return try codec.encode(pixels.upright(from: imageOrientation), options: options)
    }

    private static func codec(for format: ImageFormat) throws(ImageCodecError) -> any ImageCodec {
        guard let codec = ImageCodecs.codec(for: format) else { throw .unsupported("encoding \(format)") }
        return codec
    }
}

extension ImageCodec {
    /// Encodes all frames as they are shown; nil for a format without animation.
    public func encode(
        all frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        // The copy releases its canvases afterwards.
        try encode(SteadyFrames(frames.playingCopy), options: options)
    }
}

extension KingfisherWrapper where Base == Image {
    /// The image as a PNG file; nil for an empty image.
    public func pngRepresentation() -> Data? {
        base.pngData()
    }

    /// The image as a JPEG file of `compressionQuality` 0...1; nil for an empty image.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        base.jpegData(compressionQuality: compressionQuality)
    }

    /// The animation as a GIF file: the original bytes, or its frames encoded again with at most 256 colours
    /// each and delays rounded to hundredths of a second. Nil for a still image.
    public func gifRepresentation() -> Data? {
        data(format: .GIF)
    }

    /// The image as a file of `format`; PNG if the format is unknown. Nil if encoding fails, and for a still
    /// image in a palette format (GIF), which would lose most of its colours.
    ///
    /// Returns the original bytes if they have that format and their codec keeps them
    /// (`ImageCodec.keepsFileBytes`); otherwise encodes with `Image.encoded(as:options:)`.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        data(format: format, options: ImageEncodingOptions(quality: compressionQuality))
    }

    /// The image as a file of `format`, as `data(format:compressionQuality:)`; `options` are evaluated only
    /// if it is encoded again.
    package func data(format: ImageFormat, options: @autoclosure () -> ImageEncodingOptions) -> Data? {
        if format == .unknown { return pngRepresentation() }
        if let bytes = fileBytes, bytes.kf.imageFormat == format { return bytes }
        // A palette would lose most colours of a still.
        if base.animationFrames == nil, !Self.encodesStills(format) { return nil }
        return try? base.encoded(as: format, options: options())
    }

    /// The animation as a file, with all frames even if only the first was requested; nil for a still image,
    /// or if no format can encode it.
    ///
    /// Returns the original bytes if they have `format`. Otherwise encodes in `format` if that has animation,
    /// else as APNG, else as GIF. For a palette format (GIF), APNG comes first: a palette cannot hold the
    /// colours and soft edges that processors make.
    package func animation(
        preferring format: ImageFormat, options: @autoclosure () -> ImageEncodingOptions
    ) -> Data? {
        guard let frames = base.storableFrames else { return nil }
        // Unknown bytes match no format.
        if format != .unknown, let bytes = fileBytes, bytes.kf.imageFormat == format { return bytes }
        let options = options()
        let formats: [ImageFormat] = Self.encodesStills(format) ? [format, .APNG, .GIF] : [.APNG, .GIF]
        return formats.lazy.compactMap { ImageCodecs.codec(for: $0) }.compactMap { codec in
            (try? codec.encode(all: frames, options: options)) ?? nil
        }.first
    }

    private static func encodesStills(_ format: ImageFormat) -> Bool {
        ImageCodecs.codec(for: format)?.capabilities.contains(.encodesStills) ?? true
    }
}
