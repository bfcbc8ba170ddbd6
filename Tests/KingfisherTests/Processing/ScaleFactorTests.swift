import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// Lengths are in points, and a point has `scale` pixels: a length at scale 3 gives the same pixels as three
/// times the length at scale 1.
@Suite struct ScaleFactorTests {
    /// A processor or a drawing whose lengths are multiplied by a factor.
    struct Sample<Made: Sendable>: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (_ factor: CGFloat) -> Made

        init(_ name: String, _ make: @escaping @Sendable (_ factor: CGFloat) -> Made) {
            testDescription = name
            self.make = make
        }
    }

    /// The image has the proportions 11 to 7, so scaled sides are whole points.
    private static func size(_ width: CGFloat, _ height: CGFloat, _ factor: CGFloat) -> CGSize {
        CGSize(width: width * factor, height: height * factor)
    }

    static let processors: [Sample<any ImageProcessor>] = [
        Sample("default") { _ in DefaultImageProcessor.default },
        Sample("resizing") { ResizingImageProcessor(referenceSize: size(10, 6, $0)) },
        Sample("aspect fit") { ResizingImageProcessor(referenceSize: size(11, 10, $0), mode: .aspectFit) },
        Sample("aspect fill") { ResizingImageProcessor(referenceSize: size(11, 5, $0), mode: .aspectFill) },
        Sample("cropping") { CroppingImageProcessor(size: size(5, 4, $0), anchor: CGPoint(x: 1, y: 0.5)) },
        Sample("fitting") { FittingImageProcessor(size: size(10, 10, $0)) },
        Sample("fitting, enlarged") { FittingImageProcessor(size: size(110, 0, $0), enlarges: true) },
        Sample("covering") { CoveringImageProcessor(size: size(6, 6, $0), focus: .zero) },
        Sample("extracting") { factor in
            ExtractingImageProcessor(
                rect: CGRect(x: 2 * factor, y: factor, width: 4 * factor, height: 3 * factor))
        },
        Sample("margin") { MarginImageProcessor(top: $0, right: 2 * $0, bottom: 0, left: 3 * $0) },
        Sample("pixelating") { PixelatingImageProcessor(blockSize: 3 * $0) },
        Sample("downsampling") { DownsamplingImageProcessor(size: size(10, 10, $0)) },
        Sample("round corner") { RoundCornerImageProcessor(cornerRadius: 3 * $0) },
        Sample("round corner, sized") {
            RoundCornerImageProcessor(cornerRadius: 2.5 * $0, targetSize: size(9, 6, $0))
        },
        Sample("round corner, fraction") { _ in RoundCornerImageProcessor(radius: .heightFraction(0.3)) },
        Sample("border") { factor in
            BorderImageProcessor(
                border: Border(color: .red, lineWidth: 1.5 * factor, radius: .point(3 * factor)))
        },
        Sample("border, fraction") { factor in
            BorderImageProcessor(border: Border(lineWidth: 2 * factor, radius: .widthFraction(0.2)))
        },
        Sample("overlay") { _ in OverlayImageProcessor(overlay: .blue, fraction: 0.3) },
        Sample("tint") { _ in TintImageProcessor(tint: Color(red: 1, green: 0, blue: 0.5, alpha: 0.4)) },
        Sample("colour controls") { _ in
            ColorControlsProcessor(brightness: 0.1, contrast: 1.2, saturation: 0.5, inputEV: 0.3)
        },
        Sample("black and white") { _ in BlackWhiteProcessor() },
        Sample("blend") { _ in
            BlendImageProcessor(blendMode: .multiply, alpha: 0.8, backgroundColor: .orange)
        },
        Sample("filter") { _ in SepiaProcessor() },
        Sample("chain") { factor in
            CroppingImageProcessor(size: size(8, 8, factor))
                |> RoundCornerImageProcessor(radius: .widthFraction(0.5))
                |> BorderImageProcessor(border: Border(lineWidth: factor, radius: .widthFraction(0.5)))
        },
        // A blur's radius is in pixels.
        Sample("blur") { _ in BlurImageProcessor(blurRadius: 3) },
    ]

    @Test(
        "Processors multiply their lengths by the scale, for bytes and for images", .behaviours("I-17"),
        arguments: processors,
        [1, 2, 3])
    func processor(sample: Sample<any ImageProcessor>, scale: CGFloat) throws {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
        let inPixels = try #require(
            sample.make(scale).process(item: .data(TestImages.png), options: KingfisherParsedOptionsInfo(nil))
        )
        let image = try TestImages.image.kf.scaled(to: scale)
        for item in [ImageProcessItem.data(try TestImages.png), .image(image)] {
            let made = try #require(sample.make(1).process(item: item, options: options))
            let pixels = try #require(made.pixels)
            #expect(made.scale == scale)
            #expect(made.size.width == CGFloat(pixels.width) / scale)
            #expect(made.size.height == CGFloat(pixels.height) / scale)
            #expect(samePixels(made, inPixels))
        }
    }

    static let drawings: [Sample<@Sendable (Image) -> Image>] = [
        Sample("resize") { factor in { $0.kf.resize(to: size(10, 6, factor)) } },
        Sample("aspect fill") { factor in { $0.kf.resize(to: size(11, 5, factor), for: .aspectFill) } },
        Sample("crop") { factor in
            { $0.kf.crop(to: size(5, 4, factor), anchorOn: CGPoint(x: 0, y: 1)) }
        },
        Sample("radius") { factor in
            { $0.kf.image(withRadius: .widthFraction(0.25), fit: size(9, 6, factor)) }
        },
        Sample("round radius") { factor in
            { $0.kf.image(withRoundRadius: 2.5 * factor, fit: size(11, 7, factor), backgroundColor: .red) }
        },
        Sample("border") { factor in
            { $0.kf.addingBorder(Border(lineWidth: 0.5 * factor, radius: .point(4 * factor))) }
        },
        Sample("overlay") { _ in { $0.kf.overlaying(with: .green, fraction: 0.8) } },
        Sample("blur") { _ in { $0.kf.blurred(withRadius: 3) } },
        Sample("blend") { _ in { $0.kf.image(withBlendMode: .screen, backgroundColor: .brown) } },
        Sample("tint") { _ in { $0.kf.tinted(with: Color(white: 0.5, alpha: 0.5)) } },
        Sample("adjust") { _ in
            { $0.kf.adjusted(brightness: 0, contrast: 2, saturation: 1, inputEV: -1) }
        },
        Sample("filter") { _ in { $0.kf.apply(Filter { $0.kf.blurred(withRadius: 2) }) } },
    ]

    @Test(
        "Members of kf preserve the scale of the image and measure in its points", arguments: drawings,
        [1, 2, 3])
    func drawing(sample: Sample<@Sendable (Image) -> Image>, scale: CGFloat) throws {
        let image = try TestImages.image
        let inPixels = sample.make(scale)(image)
        let made = sample.make(1)(image.kf.scaled(to: scale))
        #expect(made.scale == scale)
        #expect(samePixels(made, inPixels))
    }

    @Test("A point has as many pixels as the scale", .behaviours("I-17"), arguments: [1, 2, 3])
    func points(scale: CGFloat) throws {
        let white = try PixelBuffer(width: 60, height: 48, format: .gray8) { rows, _ in
            rows.initializeMemory(as: UInt8.self, repeating: 255)
        }
        let image = Image(pixels: white, scale: scale)
        let lined = image.kf.addingBorder(Border(color: .black, lineWidth: 2))
        let column = (0..<48).map { lined.pixels?.samples(x: 30, y: $0)?.first }
        #expect(column.filter { $0 == 0 }.count == 2 * 2 * Int(scale))
        let cropped = image.kf.crop(to: CGSize(width: 4, height: 3), anchorOn: .zero)
        #expect(cropped.pixels?.size == PixelSize(width: 4 * Int(scale), height: 3 * Int(scale)))
        let target = CGSize(width: 8, height: 8)
        let rounded = image.kf.image(withRoundRadius: 4, fit: target)
        #expect(rounded.pixels?.size == PixelSize(width: 8 * Int(scale), height: 8 * Int(scale)))
    }
}
