import Foundation
import KingfisherImage
import KingfisherTestSupport

/// Files of a format in the size classes that codecs treat differently.
enum SizeClassFiles {
    struct File {
        let name: String
        let data: Data
    }

    static let small = PixelSize(width: 33, height: 21)
    static let large = PixelSize(width: 700, height: 525)
    /// A JPEG file of this size has at least a mebibyte.
    static let veryLarge = PixelSize(width: 1_400, height: 1_050)

    static let blocks: ImageMetadataBlocks = {
        var blocks = ImageMetadataBlocks()
        blocks.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        return blocks
    }()

    /// What the codec writes; for formats that are only read, files of other programs.
    static func of(_ codec: any ImageCodec) throws -> [File] {
        guard codec.capabilities.contains(.encodesStills) || codec.capabilities.contains(.encodesAnimations)
        else { return try read(codec.format.name) }
        var files = try stills(codec)
        if codec.capabilities.contains(.encodesAnimations),
            let data = try codec.encode(NoiseFrames(), options: ImageEncodingOptions(quality: 0.7))
        {
            files.append(File(name: "animation", data: data))
            if codec.capabilities.contains(.writesMetadata) {
                let data = try codec.replacingMetadata(of: data, with: blocks)
                files.append(File(name: "animation with metadata", data: data))
            }
        }
        return files
    }

    private static func stills(_ codec: any ImageCodec) throws -> [File] {
        var kinds: [(name: String, size: PixelSize, format: PixelFormat, options: ImageEncodingOptions)] = [
            ("small", small, .rgba8Opaque, ImageEncodingOptions(quality: 0.8, effort: 0)),
            (
                "grey", PixelSize(width: 300, height: 200), .gray8,
                ImageEncodingOptions(quality: 0.8, effort: 0)
            ),
        ]
        let medium = PixelSize(width: 500, height: 400)
        let largest = codec.format == .JPEG ? veryLarge : large
        kinds.append(("large", largest, .rgba8Opaque, ImageEncodingOptions(quality: 0.95, effort: 0)))
        if codec.capabilities.contains(.encodesAlpha) {
            kinds.append(("alpha", medium, .rgba8Straight, ImageEncodingOptions(quality: 0.8, effort: 0)))
        }
        if codec.capabilities.contains(.encodes16Bits) {
            let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
            kinds.append(("16 bits", medium, format, ImageEncodingOptions(isLossless: true, effort: 0)))
        }
        if codec.capabilities.contains(.encodesProgressive) {
            kinds.append(
                (
                    "progressive", largest, .rgba8Opaque,
                    ImageEncodingOptions(quality: 0.8, isProgressive: true)
                ))
        }
        if codec.capabilities.contains(.encodesPalette) {
            kinds.append(("palette", medium, .rgba8Opaque, ImageEncodingOptions(maximumColors: 16)))
        }
        return try kinds.map { kind in
            let pixels = try noise(kind.size, kind.format)
            return File(name: kind.name, data: try codec.encode(pixels, options: kind.options))
        }
    }

    /// At least a mebibyte.
    static func baseline() throws -> Data {
        try JPEGCodec().encode(noise(veryLarge, .rgba8Opaque), options: ImageEncodingOptions(quality: 0.95))
    }

    /// Rows of a band of noise, so that debug builds need not compute each pixel.
    static func noise(_ size: PixelSize, _ format: PixelFormat, seed: UInt64 = 7) throws -> PixelBuffer {
        var generator = SeededGenerator(seed: seed)
        var value = 128
        let band = (0..<20_000 + size.width * format.bytesPerPixel).map { index -> UInt8 in
            value = min(max(value + Int(generator.next() % 49) - 24, 0), 255)
            let isAlpha =
                format.layout == .rgba && format.isOpaque
                && index % format.bytesPerPixel >= format.bytesPerPixel * 3 / 4
            return isAlpha ? 255 : UInt8(value)
        }
        return try PixelBuffer(width: size.width, height: size.height, format: format) { rows, bytesPerRow in
            let count = size.width * format.bytesPerPixel
            band.withUnsafeBytes { band in
                for row in 0..<size.height {
                    let start = row * 52 % 19_000 * format.bytesPerPixel % 16_000
                    let place = UnsafeMutableRawBufferPointer(rebasing: rows[(row * bytesPerRow)...])
                    place.copyMemory(from: UnsafeRawBufferPointer(rebasing: band[start..<start + count]))
                }
            }
        }
    }

    private struct NoiseFrames: ImageFrameSource {
        let frameCount = 4
        let data: Data? = nil
        func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
            try? SizeClassFiles.noise(
                PixelSize(width: 160, height: 120), .rgba8Opaque, seed: UInt64(index + 1))
        }
        func duration(at index: Int) -> TimeInterval { 0.1 }
        func copy() -> NoiseFrames { self }
    }

    // MARK: Formats that are only read

    private static func read(_ format: String) throws -> [File] {
        switch format {
        case "HEIC":
            try seeds("heic") + folder(Fixtures.url(named: format)).filter { !$0.name.hasSuffix(".png") }
        case "TIFF": try seeds("tiff") + [File(name: "large", data: tiff(large))]
        case "SVG": [svg(small), svg(large)]
        case "ICO", "RAW": try folder(Fixtures.url(named: format))
        default: []
        }
    }

    /// The seeds of the fuzzer.
    private static func seeds(_ format: String) throws -> [File] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/seeds")
        return try folder(root.appending(path: format))
    }

    private static func folder(_ folder: URL) throws -> [File] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension != "rgba" }.sorted { $0.path < $1.path }
            .map { File(name: $0.lastPathComponent, data: try Data(contentsOf: $0)) }
    }

    private static func svg(_ size: PixelSize) -> File {
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)">
            <rect width="60%" height="70%" fill="teal"/><text x="4" y="20">Size</text></svg>
            """
        return File(name: "SVG \(size.width)", data: Data(text.utf8))
    }

    /// An uncompressed RGB file of strips with 16 rows (TIFF 6.0).
    private static func tiff(_ size: PixelSize) -> Data {
        func bytes(_ value: Int, _ count: Int) -> Data {
            Data((0..<count).map { UInt8(value >> (8 * $0) & 255) })
        }
        let (row, rows) = (3 * size.width, 16)
        let strips = (size.height + rows - 1) / rows
        let tags = 9
        let bits = 8 + 2 + 12 * tags + 4
        let (offsets, lengths) = (bits + 6, bits + 6 + 4 * strips)
        let pixels = lengths + 4 * strips
        let entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
            (256, 4, 1, size.width), (257, 4, 1, size.height), (258, 3, 3, bits), (259, 3, 1, 1),
            (262, 3, 1, 2), (273, 4, strips, offsets), (277, 3, 1, 3), (278, 4, 1, rows),
            (279, 4, strips, lengths),
        ]
        var file = Data("II".utf8) + bytes(42, 2) + bytes(8, 4) + bytes(tags, 2)
        for entry in entries {
            file += bytes(entry.tag, 2) + bytes(entry.type, 2) + bytes(entry.count, 4) + bytes(entry.value, 4)
        }
        file += bytes(0, 4) + bytes(8, 2) + bytes(8, 2) + bytes(8, 2)
        for strip in 0..<strips { file += bytes(pixels + strip * rows * row, 4) }
        for strip in 0..<strips { file += bytes(min(rows, size.height - strip * rows) * row, 4) }
        let colors = Data((0..<row).map { UInt8($0 * 7 % 251) })
        for _ in 0..<size.height { file += colors }
        return file
    }
}
