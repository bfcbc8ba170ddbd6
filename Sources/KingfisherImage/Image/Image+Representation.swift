public import Foundation

extension Image {
    /// The image (an animation's first frame) as a PNG file, upright; nil for an empty image.
    public func pngData() -> Data? {
        try? encodedStill(using: Self.codec(for: .PNG))
    }

    /// The image (an animation's first frame) as a JPEG file, upright and over white; nil for an empty one.
    ///
    /// `compressionQuality` is 0...1; from 0.9 on chroma keeps its full resolution.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        try? encodedStill(
            using: Self.codec(for: .JPEG), options: ImageEncodingOptions(quality: compressionQuality))
    }

    /// Encodes the image in a registered format, and says why it cannot.
    ///
    /// An animation stays one where the format has animation, with its delays and its loop count as exactly
    /// as the format can say them; otherwise its first frame is written. A frame that cannot be had is
    /// written as the one before. Works on the caller's thread, and decodes all frames of an image whose
    /// frames are decoded on demand.
    public func encoded(
        as format: ImageFormat, options: ImageEncodingOptions = ImageEncodingOptions()
    ) throws(ImageCodecError) -> Data {
        try encoded(using: try Self.codec(for: format), options: options)
    }

    /// Encodes the image as `encoded(as:options:)` does, with a codec that need not be registered.
    public func encoded(
        using codec: any ImageCodec, options: ImageEncodingOptions = ImageEncodingOptions()
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
    /// Encodes all frames as they are shown; nil for a format that has no animation.
    public func encode(
        all frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        // A copy takes its canvases with it.
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

    /// The animation as a GIF file: the bytes it came in, or its frames written anew, at most 256 colours
    /// each and delays rounded to hundredths of a second. Nil for a still image.
    public func gifRepresentation() -> Data? {
        data(format: .GIF)
    }

    /// The image as a file of `format`; PNG where the format is unknown, nil where it cannot be written,
    /// and for a still in a format that has only a palette (GIF), which would lose most of its colours.
    ///
    /// The bytes that the image was made from are handed on as they are where they are of that format and
    /// their codec keeps them (`ImageCodec.keepsFileBytes`); what is written anew is
    /// `Image.encoded(as:options:)`.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        data(format: format, options: ImageEncodingOptions(quality: compressionQuality))
    }

    /// The image as a file of `format`, as `data(format:compressionQuality:)` gives it; `options` are asked
    /// for only where it is written anew.
    package func data(format: ImageFormat, options: @autoclosure () -> ImageEncodingOptions) -> Data? {
        if format == .unknown { return pngRepresentation() }
        if let bytes = fileBytes, bytes.kf.imageFormat == format { return bytes }
        // A palette would take most colours of a still.
        if base.animationFrames == nil, !Self.encodesStills(format) { return nil }
        return try? base.encoded(as: format, options: options())
    }

    /// The animation as a file, never its first frame alone, also where that alone was asked for; nil for a
    /// still, and where no format can be had.
    ///
    /// The bytes that it was made from where they are of `format`; written anew in `format` where that has
    /// animation, or else as APNG, or else as GIF. What came in a format that has only a palette (GIF) is
    /// written as APNG first: a palette has no room for the colours and the soft edges that processors make.
    package func animation(
        preferring format: ImageFormat, options: @autoclosure () -> ImageEncodingOptions
    ) -> Data? {
        guard let frames = base.storableFrames else { return nil }
        // What no registered codec knows is of no format that could be the same.
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
