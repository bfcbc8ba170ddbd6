import Foundation
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// Decoding to a small size, in every format that can be written.
@Suite struct ReducedDecodingTests {
    private static let formats = FormatCatalog.codecs.filter { $0.capabilities.contains(.encodesStills) }

    @Test(arguments: formats.indices)
    func `A photograph decoded to a size is as good as fully decoded and resized`(index: Int) throws {
        let codec = Self.formats[index]
        let target = PixelSize(width: 96, height: 64)
        var worst = Double.infinity
        for number in [0, 1, 3, 5, 6, 9, 12, 18] {
            let name = "Fitting/" + String(format: "%02d", number) + ".jpg"
            let photo = try #require(Image(data: Fixtures.data(named: name))?.pixels)
            let data = try codec.encode(photo, options: ImageEncodingOptions(quality: 0.8))
            // A still APNG is a PNG.
            let reader = try #require(FormatCatalog.codecs.first { data.withUnsafeBytes($0.matches) })
            let full = try reader.open(EncodedFile(data)).decode(.full)
            let reduced = try reader.open(EncodedFile(data)).decode(.exactly(target))
            let difference = try #require(PixelDifference(reduced, full.resized(to: target)))
            worst = min(worst, difference.psnr)
        }
        // libwebp's scaling of a lawn reaches 44.97.
        #expect(worst >= (codec.format.name == "WEBP" ? 44.9 : 45), "\(codec.format)")
    }
}
