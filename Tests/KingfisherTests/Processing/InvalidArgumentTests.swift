import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// Invalid lengths, fractions and positions must not crash or allocate excessive memory, and must give an
/// image.
@Suite struct InvalidArgumentTests {
    static let numbers: [CGFloat] = [
        0, -0.0, -1, .nan, .signalingNaN, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
        CGFloat(Int.max), CGFloat(Int.min),
    ]

    /// The number as width, as height and as both.
    private static func sizes(_ number: CGFloat) -> [CGSize] {
        [
            CGSize(width: number, height: 5), CGSize(width: 5, height: number),
            CGSize(width: number, height: number), CGSize(width: number, height: 1e300),
        ]
    }

    private static func points(_ number: CGFloat) -> [CGPoint] {
        [CGPoint(x: number, y: 0.5), CGPoint(x: 0.5, y: number), CGPoint(x: number, y: number)]
    }

    private static func radii(_ number: CGFloat) -> [Radius] {
        [.point(number), .widthFraction(number), .heightFraction(number)]
    }

    private static func colors(_ number: CGFloat) -> [Color] {
        [Color(red: number, green: number, blue: number), Color(white: 0.5, alpha: number)]
    }

    static func borders(_ number: CGFloat) -> [Border] {
        [Border(lineWidth: number, radius: .point(2))]
            + radii(number).map { Border(lineWidth: 2, radius: $0) }
            + colors(number).map { Border(color: $0, lineWidth: 2) }
    }

    /// Each colour element alone, and all together.
    private static func controls(_ number: CGFloat) -> [Filter.ColorElement] {
        [
            Filter.ColorElement(brightness: number, contrast: 1, saturation: 1, inputEV: 0),
            Filter.ColorElement(brightness: 0, contrast: number, saturation: 1, inputEV: 0),
            Filter.ColorElement(brightness: 0, contrast: 1, saturation: number, inputEV: 0),
            Filter.ColorElement(brightness: 0, contrast: 1, saturation: 1, inputEV: number),
            Filter.ColorElement(brightness: number, contrast: number, saturation: number, inputEV: number),
        ]
    }

    static func processors(_ number: CGFloat) -> [any ImageProcessor] {
        let target = CGSize(width: 8, height: 8)
        let sized: [[any ImageProcessor]] = sizes(number).map { size in
            [
                ResizingImageProcessor(referenceSize: size),
                ResizingImageProcessor(referenceSize: size, mode: .aspectFit),
                ResizingImageProcessor(referenceSize: size, mode: .aspectFill),
                CroppingImageProcessor(size: size), DownsamplingImageProcessor(size: size),
                RoundCornerImageProcessor(cornerRadius: 3, targetSize: size),
                RoundCornerImageProcessor(cornerRadius: number, targetSize: size),
            ]
        }
        let placed = points(number).map { CroppingImageProcessor(size: target, anchor: $0) }
        let round = radii(number).map { RoundCornerImageProcessor(radius: $0, targetSize: target) }
        let colored: [[any ImageProcessor]] = colors(number).map { color in
            [
                OverlayImageProcessor(overlay: color),
                RoundCornerImageProcessor(cornerRadius: 3, backgroundColor: color),
                TintImageProcessor(tint: color),
            ] + BlendMode.allCases.map { BlendImageProcessor(blendMode: $0, backgroundColor: color) }
        }
        let controls = controls(number).map {
            ColorControlsProcessor(
                brightness: $0.brightness, contrast: $0.contrast, saturation: $0.saturation,
                inputEV: $0.inputEV)
        }
        let blends = BlendMode.allCases.map { BlendImageProcessor(blendMode: $0, alpha: number) }
        // One list at a time: the type checker of Swift 6.2 gives up on a sum of so many.
        var all = sized.flatMap { $0 } + colored.flatMap { $0 }
        all += placed
        all += round
        all += borders(number).map(BorderImageProcessor.init)
        all += controls
        all += blends
        all += [
            BlurImageProcessor(blurRadius: number), OverlayImageProcessor(overlay: .red, fraction: number),
        ]
        return all
    }

    /// The image has 33 x 21 pixels; all valid targets are smaller.
    private func expectSmall(_ image: Image?, scale: CGFloat = 1, _ what: @autoclosure () -> String) {
        guard let pixels = image?.pixels else {
            Issue.record("no image: \(what())")
            return
        }
        let (width, height) = (CGFloat(pixels.width), CGFloat(pixels.height))
        #expect(width <= 33 * scale && height <= 21 * scale, "\(what())")
    }

    @Test("Processors with invalid numbers make an image of bounded size at any scale", arguments: numbers)
    func processors(number: CGFloat) throws {
        for scale in [1, 3] as [CGFloat] {
            let options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
            for processor in Self.processors(number) {
                for item in [ImageProcessItem.data(try TestImages.png), .image(try TestImages.image)] {
                    let made = processor.process(item: item, options: options)
                    expectSmall(made, scale: scale, "\(processor.identifier) at \(scale)")
                    #expect(made?.scale == scale)
                }
            }
        }
    }

    @Test(
        "An invalid scale factor counts as 1 or changes nothing", .behaviours("I-17"),
        arguments: numbers)
    func scaleFactors(number: CGFloat) throws {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(number)])
        for processor in Self.processors(5) + [DefaultImageProcessor.default] {
            for item in [ImageProcessItem.data(try TestImages.png), .image(try TestImages.image)] {
                let made = try #require(processor.process(item: item, options: options))
                #expect(made.scale.isFinite && made.scale > 0)
                expectSmall(made, "\(processor.identifier) at \(number)")
            }
        }
    }

    @Test("Members of kf with invalid numbers return the image unchanged", arguments: numbers)
    func drawings(number: CGFloat) throws {
        let image = try TestImages.image
        for size in Self.sizes(number) {
            let drawn = [
                image.kf.resize(to: size), image.kf.resize(to: size, for: .aspectFit),
                image.kf.resize(to: size, for: .aspectFill),
                image.kf.crop(to: size, anchorOn: CGPoint(x: 0.5, y: 0.5)),
                image.kf.image(withRoundRadius: 3, fit: size),
            ]
            for made in drawn { expectSmall(made, "\(size)") }
            let isSize = size.width.isFinite && size.height.isFinite && size.width > 0 && size.height > 0
            if !isSize || size.width * size.height > 1e8 {
                #expect(drawn[0] === image && drawn[4] === image, "\(size)")
            }
        }
        for anchor in Self.points(number) {
            expectSmall(
                image.kf.crop(to: CGSize(width: 5, height: 5), anchorOn: anchor), "anchor \(anchor)")
        }
        for radius in Self.radii(number) {
            expectSmall(image.kf.image(withRadius: radius, fit: image.size), "radius \(radius)")
        }
        for border in Self.borders(number) { expectSmall(image.kf.addingBorder(border), "\(border)") }
    }

    @Test("Effects of kf with invalid numbers return an image of bounded size", arguments: numbers)
    func effects(number: CGFloat) throws {
        let image = try TestImages.image
        for color in Self.colors(number) {
            expectSmall(image.kf.overlaying(with: color, fraction: 0.5), "\(color)")
            expectSmall(
                image.kf.image(withRoundRadius: 3, fit: image.size, backgroundColor: color), "\(color)")
            expectSmall(image.kf.tinted(with: color), "\(color)")
            expectSmall(image.kf.image(withBlendMode: .hue, backgroundColor: color), "\(color)")
        }
        for element in Self.controls(number) {
            expectSmall(image.kf.apply(Filter.colorControl(element)), "\(element)")
        }
        for mode in BlendMode.allCases {
            expectSmall(image.kf.image(withBlendMode: mode, alpha: number), "alpha \(number)")
        }
        expectSmall(image.kf.overlaying(with: .red, fraction: number), "fraction \(number)")
        expectSmall(image.kf.blurred(withRadius: number), "radius \(number)")
        expectSmall(image.kf.scaled(to: number), "scale \(number)")
        #expect(image.kf.scaled(to: number).scale > 0)
    }

    @Test("Sizes and rectangles of invalid numbers do not crash", arguments: numbers)
    func geometry(number: CGFloat) {
        let size = CGSize(width: 33, height: 21)
        for other in Self.sizes(number) {
            for mode in [ContentMode.none, .aspectFit, .aspectFill] {
                _ = size.kf.resize(to: other, for: mode)
                _ = other.kf.resize(to: size, for: mode)
            }
            for anchor in Self.points(number) {
                _ = size.kf.constrainedRect(for: other, anchor: anchor)
                _ = other.kf.constrainedRect(for: size, anchor: anchor)
            }
        }
    }
}
