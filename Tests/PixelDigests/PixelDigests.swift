import CXXHash
import Foundation
import Kingfisher
import KingfisherFormats
import Synchronization

/// Prints digests of the pixels of files, at full size, as a thumbnail and after processors, which
/// scripts/arm64/test compares between two architectures.
///
///     PixelDigests FOLDER    all files below it
///
/// A line is a path in the folder, an operation, the size and the XXH3 of the pixels, or `-` if it fails.
@main struct PixelDigests {
    /// More pixels are only decoded: an emulated processor takes minutes for the processors.
    private static let mostProcessed = 300_000

    private static let processors: [(String, any ImageProcessor)] = [
        ("resize", ResizingImageProcessor(referenceSize: CGSize(width: 61, height: 47))),
        ("enlarge", ResizingImageProcessor(referenceSize: CGSize(width: 301, height: 203))),
        ("blur", BlurImageProcessor(blurRadius: 3)),
        ("sharpen", SharpenImageProcessor()),
        ("grey", BlackWhiteProcessor()),
        ("tint", TintImageProcessor(tint: Color(red: 0.2, green: 0.5, blue: 0.7, alpha: 0.4))),
        ("corners", RoundCornerImageProcessor(cornerRadius: 7.3)),
        (
            "border",
            BorderImageProcessor(border: Border(color: .red, lineWidth: 2.5, radius: .heightFraction(0.3)))
        ),
        ("controls", ColorControlsProcessor(brightness: 0.1, contrast: 1.2, saturation: 0.8, inputEV: 0.3)),
        ("blend", BlendImageProcessor(blendMode: .softLight, alpha: 0.7, backgroundColor: .blue)),
        ("luminosity", BlendImageProcessor(blendMode: .luminosity, alpha: 0.9, backgroundColor: .green)),
    ]

    static func main() {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: PixelDigests FOLDER\n".utf8))
            exit(2)
        }
        ImageCodecs.registerAll()
        let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
        let paths = (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted()
        let lines = Mutex<[Int: [String]]>([:])
        DispatchQueue.concurrentPerform(iterations: paths.count) { number in
            let digests = digests(of: folder.appending(path: paths[number])).map { "\(paths[number]) \($0)" }
            lines.withLock { $0[number] = digests }
        }
        for (_, digests) in lines.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            digests.forEach { print($0) }
        }
    }

    /// Empty if the file is not an image.
    private static func digests(of url: URL) -> [String] {
        guard let file = try? Data(contentsOf: url), ImageCodecs.codec(for: file) != nil else { return [] }
        let full = try? Image.decode(file)
        let small = KingfisherWrapper<Image>.downsampledImage(
            data: file, to: CGSize(width: 64, height: 64), scale: 1)
        var digests = ["full \(digest(of: full))", "small \(digest(of: small))"]
        guard let full, let pixels = full.pixels, pixels.width * pixels.height <= mostProcessed else {
            return digests
        }
        for (name, processor) in processors {
            let result = processor.process(item: .image(full), options: KingfisherParsedOptionsInfo(nil))
            digests.append("\(name) \(digest(of: result))")
        }
        return digests
    }

    private static func digest(of image: Image?) -> String {
        guard let pixels = image?.pixels else { return "-" }
        let count = pixels.width * pixels.format.bytesPerPixel
        let sum = pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).reduce(into: UInt64(0)) { sum, y in
                guard let row = bytes.baseAddress?.advanced(by: y * pixels.bytesPerRow) else { return }
                sum = sum &* 31 &+ kf_xxh3_64(row, count)
            }
        }
        return "\(pixels.width)x\(pixels.height) \(pixels.format.bytesPerPixel) \(String(sum, radix: 16))"
    }
}
