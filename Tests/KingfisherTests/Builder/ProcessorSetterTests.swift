import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// The processors of a builder, compared by their identifiers.
@Suite @MainActor struct ProcessorSetterTests {
    private let size = CGSize(width: 20, height: 40)
    private let anchor = CGPoint(x: 0, y: 1)
    private let blur = BlurImageProcessor(blurRadius: 4)
    private let crop = CroppingImageProcessor(size: CGSize(width: 1, height: 1))

    private func identifier(_ modify: (KF.Builder) -> KF.Builder) -> String {
        modify(KF.url(Bench.freshURL())).options.processor.identifier
    }

    @Test("setProcessor replaces, appendProcessor appends, and a list becomes a chain")
    func chains() {
        let (blurred, cropped) = (blur.identifier, crop.identifier)
        #expect(identifier { $0.setProcessor(blur).setProcessor(crop) } == cropped)
        #expect(identifier { $0.setProcessor(blur).appendProcessor(crop) } == "\(blurred)|>\(cropped)")
        #expect(identifier { $0.appendProcessor(blur) } == "|>\(blurred)")
        #expect(identifier { $0.setProcessors([blur, crop, blur]) } == "\(blurred)|>\(cropped)|>\(blurred)")
        #expect(identifier { $0.setProcessors([crop]) } == cropped)
        #expect(identifier { $0.setProcessor(blur).setProcessors([]) } == "")
    }

    private typealias Shorthand = (any ImageProcessor, (KF.Builder) -> KF.Builder)

    private var effects: [Shorthand] {
        [
            (RoundCornerImageProcessor(cornerRadius: 20), { $0.roundCorner(radius: .point(20)) }),
            (
                RoundCornerImageProcessor(
                    radius: .widthFraction(0.5), targetSize: size, roundingCorners: [.topLeft, .bottomRight],
                    backgroundColor: .red),
                {
                    $0.roundCorner(
                        radius: .widthFraction(0.5), targetSize: size,
                        roundingCorners: [.topLeft, .bottomRight], backgroundColor: .red)
                }
            ),
            (blur, { $0.blur(radius: 4) }),
            (SharpenImageProcessor(), { $0.sharpen() }),
            (SharpenImageProcessor(radius: 2, amount: 3), { $0.sharpen(radius: 2, amount: 3) }),
            (OverlayImageProcessor(overlay: .red), { $0.overlay(color: .red) }),
            (OverlayImageProcessor(overlay: .red, fraction: 1), { $0.overlay(color: .red, fraction: 1) }),
            (TintImageProcessor(tint: .orange), { $0.tint(color: .orange) }),
            (BlackWhiteProcessor(), { $0.blackWhite() }),
            (
                WatermarkImageProcessor(Image(), name: "logo", anchor: anchor, margin: 2, opacity: 0.5),
                { $0.watermark(Image(), name: "logo", anchor: anchor, margin: 2, opacity: 0.5) }
            ),
            (
                TextImageProcessor("a", anchor: anchor, size: .point(9), color: .red),
                { $0.text("a", anchor: anchor, size: .point(9), color: .red) }
            ),
        ]
    }

    private var shapes: [Shorthand] {
        [
            (CroppingImageProcessor(size: size), { $0.cropping(size: size) }),
            (
                CroppingImageProcessor(size: size, anchor: anchor),
                { $0.cropping(size: size, anchor: anchor) }
            ),
            (ResizingImageProcessor(referenceSize: size), { $0.resizing(referenceSize: size) }),
            (
                ResizingImageProcessor(referenceSize: size, mode: .aspectFit),
                { $0.resizing(referenceSize: size, mode: .aspectFit) }
            ),
            (
                FocalCroppingImageProcessor(size: size, focus: anchor),
                { $0.cropping(toFill: size, focus: anchor) }
            ),
            (RotationImageProcessor(quarterTurns: -1), { $0.rotating(quarterTurns: 3) }),
            (FlippingImageProcessor(.vertical), { $0.flipping(.vertical) }),
            (PaddingImageProcessor(size: size), { $0.padding(size: size) }),
            (
                PaddingImageProcessor(size: size, anchor: anchor, color: .red),
                { $0.padding(size: size, anchor: anchor, color: .red) }
            ),
            (
                MarginImageProcessor(top: 1, right: 2, bottom: 3, left: 4, color: .red),
                { $0.margin(top: 1, right: 2, bottom: 3, left: 4, color: .red) }
            ),
            (
                ExtractingImageProcessor(rect: CGRect(origin: anchor, size: size)),
                { $0.extracting(CGRect(origin: anchor, size: size)) }
            ),
            (PixelatingImageProcessor(blockSize: 4), { $0.pixelating(blockSize: 4) }),
            (TrimmingImageProcessor(tolerance: 0.5), { $0.trimming(tolerance: 0.5) }),
        ]
    }

    @Test("Each shorthand appends its processor with all arguments")
    func shorthands() {
        for (processor, modify) in effects + shapes {
            #expect(identifier(modify) == "|>\(processor.identifier)")
            #expect(
                identifier { modify($0.setProcessor(crop)) } == "\(crop.identifier)|>\(processor.identifier)")
        }
    }

    @Test("Processors that reduce replace the default one, so that the full image is never decoded")
    func reducing() throws {
        let shorthands: [Shorthand] = [
            (DownsamplingImageProcessor(size: size), { $0.downsampling(size: size) }),
            (FittingImageProcessor(size: size), { $0.fitting(size: size) }),
            (FittingImageProcessor(size: size, enlarges: true), { $0.fitting(size: size, enlarges: true) }),
            (CoveringImageProcessor(size: size), { $0.covering(size: size) }),
            (
                CoveringImageProcessor(size: size, focus: anchor, smallImage: .enlarge),
                { $0.covering(size: size, focus: anchor, smallImage: .enlarge) }
            ),
        ]
        for (processor, modify) in shorthands {
            #expect(identifier(modify) == processor.identifier)
            #expect(
                identifier { modify($0.setProcessor(crop)) } == "\(crop.identifier)|>\(processor.identifier)")
        }
    }

    @Test("A chain of shorthands produces the same image as its processors one by one")
    func pixels() throws {
        let data = try TestImages.png
        let options = KF.url(Bench.freshURL()).cropping(size: CGSize(width: 20, height: 10)).blur(radius: 2)
            .scaleFactor(2).options
        let chained = options.processor.process(item: .data(data), options: options)
        let cropped = CroppingImageProcessor(size: CGSize(width: 20, height: 10)).process(
            item: .data(data), options: options)
        let wanted = BlurImageProcessor(blurRadius: 2).process(
            item: .image(try #require(cropped)), options: options)
        #expect(chained?.size == CGSize(width: 16.5, height: 10) && samePixels(chained, wanted))
    }
}
