import CRSVG
public import KingfisherCodecSupport

/// SVG 1.1 and parts of SVG 2, by librsvg, also compressed with gzip (`.svgz`).
///
/// A file is rendered at the exact pixels that are asked for, larger or smaller than its own size, so that
/// edges and text are sharp. Its own size is given by the attributes `width` and `height` in CSS pixels (96
/// to the inch); without one of them it follows from `viewBox`, and without both it is the size of `viewBox`,
/// or 300 x 150 as in browsers. Percentages count as missing. Pixels are premultiplied RGBA of 8 bits in
/// sRGB.
///
/// Nothing that the file names is loaded, except `data:` URLs and fonts of the system; scripts and animations
/// are ignored. Text depends on the fonts that are installed.
///
/// Detection and headers are read in Swift; librsvg is loaded by the first render.
/// Rendering works on the caller's thread. Its time and memory cannot be bounded here, because a short file
/// may draw a million shapes, and some end the process: librsvg 2.54 aborts for a font of a billion pixels.
/// Render untrusted files in a separate process, with `KingfisherIsolation`.
public struct SVGCodec: ImageCodec {
    /// The most bytes of a file, decompressed; a larger one is `tooMuchMemory`.
    public static let maximumBytes = 32 << 20

    /// Creates the codec for `ImageCodecs.register(.svg)`.
    public init() {}

    public var format: ImageFormat { .svg }
    public var fileExtensions: [String] { ["svg", "svgz"] }
    public var mediaType: String { "image/svg+xml" }
    public var capabilities: CodecCapabilities { [.decodesSmall, .decodesAnySize, .readsScripts] }

    /// Loads librsvg.
    public var version: String {
        var text = [CChar](repeating: 0, count: 40)
        kf_svg_version(&text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        let version = String(decoding: bytes, as: UTF8.self)
        return version.isEmpty ? "librsvg is missing" : "librsvg \(version)"
    }

    /// The folders with fonts, as fontconfig lists them for this user, and the fonts, which may be symbolic
    /// links to other places. Loads librsvg and the configuration of fonts; empty without librsvg.
    ///
    /// For a process that is about to be confined to them: starts no thread. librsvg starts threads later:
    /// one for each core at the first filter, and Pango some for each new font, which end when it is found.
    package var fontPaths: [String] {
        var paths: [String] = []
        withUnsafeMutablePointer(to: &paths) { paths in
            kf_svg_font_paths(
                { path, paths in
                    paths?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: path))
                }, paths)
        }
        return paths
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        SVGFile.matches(bytes)
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        SVGDecoder(file: try SVGFile(file))
    }
}

/// One SVG file, whose root element has been read.
private struct SVGDecoder: ImageDecoder {
    let file: SVGFile

    var header: ImageHeader {
        var header = ImageHeader(size: file.size.pixels)
        header.scalableSize = file.size.enlarged
        header.hasAlpha = true
        header.isLossless = true
        return header
    }

    /// The pixels only: what librsvg takes depends on what the file draws.
    func memory(for target: DecodingTarget) -> Int {
        PixelBuffer.memoryOfRows(size(for: target), format: .rgba8Premultiplied, minimumSize: nil)
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try file.rendered(to: size(for: target))
    }

    /// The file's own size, the smallest size that has as many pixels as asked for on both sides, or exactly
    /// the target, which may be larger than the file's own size.
    private func size(for target: DecodingTarget) -> PixelSize {
        switch target {
        case .full: file.size.pixels
        case .atLeast(let size): file.size.covering(size)
        case .exactly(let size): size
        }
    }
}
