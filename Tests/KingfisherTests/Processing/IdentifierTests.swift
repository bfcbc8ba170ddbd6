import Foundation
import Kingfisher
import Testing

/// Identifiers match those of the original, so that caches are portable. docs/deviations.md lists exceptions.
@Suite struct ProcessorIdentifierTests {
    @Test("The identifier of the default processor is empty")
    func plain() {
        #expect(DefaultImageProcessor.default.identifier == "")
        #expect(DefaultImageProcessor().identifier == "")
    }

    @Test("The identifier of a round corner processor contains all parameters")
    func roundCorner() {
        let prefix = "com.onevcat.Kingfisher.RoundCornerImageProcessor"
        let size = CGSize(width: 20, height: 40)
        #expect(RoundCornerImageProcessor(cornerRadius: 40).identifier == "\(prefix)(40.0)")
        #expect(RoundCornerImageProcessor(cornerRadius: 2.5).identifier == "\(prefix)(2.5)")
        #expect(RoundCornerImageProcessor(radius: .widthFraction(0.5)).identifier == "\(prefix)(w_frac_0.5)")
        #expect(
            RoundCornerImageProcessor(radius: .heightFraction(0.25)).identifier == "\(prefix)(h_frac_0.25)")
        #expect(
            RoundCornerImageProcessor(cornerRadius: 40, targetSize: size).identifier
                == "\(prefix)(40.0_(20.0, 40.0))")
        #expect(
            RoundCornerImageProcessor(cornerRadius: 40, roundingCorners: [.topLeft, .bottomRight]).identifier
                == "\(prefix)(40.0_corner(9))")
        #expect(
            RoundCornerImageProcessor(
                cornerRadius: 40, targetSize: size, roundingCorners: [.topRight, .bottomLeft]
            )
            .identifier == "\(prefix)(40.0_(20.0, 40.0)_corner(6))")
        #expect(
            RoundCornerImageProcessor(cornerRadius: 40, roundingCorners: .all, backgroundColor: .red)
                .identifier
                == "\(prefix)(40.0)_(1.00,0.00,0.00,1.00)")
    }

    @Test("The identifier of a resizing processor contains size and mode")
    func resizing() {
        let prefix = "com.onevcat.Kingfisher.ResizingImageProcessor"
        let size = CGSize(width: 120, height: 60.5)
        #expect(ResizingImageProcessor(referenceSize: size).identifier == "\(prefix)((120.0, 60.5))")
        #expect(
            ResizingImageProcessor(referenceSize: size, mode: .aspectFit).identifier
                == "\(prefix)((120.0, 60.5), aspectFit)")
        #expect(
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill).identifier
                == "\(prefix)((120.0, 60.5), aspectFill)")
        #expect(
            ResizingImageProcessor(referenceSize: size, mode: .none).identifier == "\(prefix)((120.0, 60.5))")
    }

    @Test("Blur, cropping and downsampling identifiers contain their parameters")
    func others() {
        let size = CGSize(width: 20, height: 40)
        #expect(
            BlurImageProcessor(blurRadius: 10).identifier == "com.onevcat.Kingfisher.BlurImageProcessor(10.0)"
        )
        #expect(
            CroppingImageProcessor(size: size).identifier
                == "com.onevcat.Kingfisher.CroppingImageProcessor((20.0, 40.0)_(0.5, 0.5))")
        #expect(
            CroppingImageProcessor(size: size, anchor: CGPoint(x: 0, y: 1)).identifier
                == "com.onevcat.Kingfisher.CroppingImageProcessor((20.0, 40.0)_(0.0, 1.0))")
        #expect(
            DownsamplingImageProcessor(size: size).identifier
                == "com.onevcat.Kingfisher.DownsamplingImageProcessor((20.0, 40.0))")
    }

    @Test("Identifiers of processors for boxes, rectangles, edges and squares contain their parameters")
    func boxes() {
        let prefix = "com.onevcat.Kingfisher."
        let size = CGSize(width: 20, height: 0)
        let identifiers: [(any ImageProcessor, String)] = [
            (FittingImageProcessor(size: size), "FittingImageProcessor((20.0, 0.0))"),
            (
                FittingImageProcessor(size: size, enlarges: true),
                "FittingImageProcessor((20.0, 0.0)_enlarge)"
            ),
            (CoveringImageProcessor(size: size), "CoveringImageProcessor((20.0, 0.0)_(0.5, 0.5))"),
            (
                CoveringImageProcessor(size: size, focus: .zero, smallImage: .cropToRatio),
                "CoveringImageProcessor((20.0, 0.0)_(0.0, 0.0)_ratio)"
            ),
            (
                ExtractingImageProcessor(rect: CGRect(x: 1, y: 2, width: 3, height: 4)),
                "ExtractingImageProcessor((1.0, 2.0)_(3.0, 4.0))"
            ),
            (
                MarginImageProcessor(top: 1, right: 2, bottom: 3, left: 4),
                "MarginImageProcessor((1.0, 2.0, 3.0, 4.0)_(0.00,0.00,0.00,0.00))"
            ),
            (PixelatingImageProcessor(blockSize: 12), "PixelatingImageProcessor(12.0)"),
        ]
        for (processor, identifier) in identifiers { #expect(processor.identifier == prefix + identifier) }
    }

    @Test("A border identifier contains colour, line width, radius and corners in one pair of parentheses")
    func border() {
        let prefix = "com.onevcat.Kingfisher.BorderImageProcessor"
        let color = KFCrossPlatformColor(red: 1, green: 0.5, blue: 0, alpha: 0.25)
        #expect(
            BorderImageProcessor(border: Border()).identifier == "\(prefix)((0.00,0.00,0.00,1.00)_4.0_0.0_)")
        #expect(
            BorderImageProcessor(border: Border(color: color, lineWidth: 2.5, radius: .widthFraction(0.5)))
                .identifier == "\(prefix)((1.00,0.50,0.00,0.25)_2.5_w_frac_0.5_)")
        let corners: RectCorner = [.topLeft, .bottomRight]
        #expect(
            BorderImageProcessor(border: Border(radius: .point(8), roundingCorners: corners)).identifier
                == "\(prefix)((0.00,0.00,0.00,1.00)_4.0_8.0__corner(9))")
    }

    @Test("An overlay identifier contains colour and fraction")
    func overlay() {
        let prefix = "com.onevcat.Kingfisher.OverlayImageProcessor"
        #expect(OverlayImageProcessor(overlay: .red).identifier == "\(prefix)((1.00,0.00,0.00,1.00)_0.5)")
        #expect(
            OverlayImageProcessor(overlay: .red, fraction: 0.25).identifier
                == "\(prefix)((1.00,0.00,0.00,1.00)_0.25)")
    }

    @Test("A blend identifier contains mode and alpha, then the background")
    func blend() {
        let prefix = "com.onevcat.Kingfisher.BlendImageProcessor"
        #expect(BlendImageProcessor(blendMode: .darken).identifier == "\(prefix)(4,1.0)")
        #expect(BlendImageProcessor(blendMode: .plusLighter, alpha: 0.5).identifier == "\(prefix)(27,0.5)")
        #expect(
            BlendImageProcessor(blendMode: .normal, alpha: 0.25, backgroundColor: .orange).identifier
                == "\(prefix)(0,0.25)_(1.00,0.50,0.00,1.00)")
    }

    @Test("Tint, colour controls, and black and white identifiers contain their parameters")
    func colors() {
        #expect(
            TintImageProcessor(tint: Color(red: 1, green: 0.25, blue: 0, alpha: 0.5)).identifier
                == "com.onevcat.Kingfisher.TintImageProcessor((1.00,0.25,0.00,0.50))")
        #expect(
            ColorControlsProcessor(brightness: 0.1, contrast: 1, saturation: 2, inputEV: -0.5).identifier
                == "com.onevcat.Kingfisher.ColorControlsProcessor(0.1_1.0_2.0_-0.5)")
        #expect(BlackWhiteProcessor().identifier == "com.onevcat.Kingfisher.BlackWhiteProcessor")
    }

    @Test("A chain joins the identifiers, including an empty one")
    func chains() {
        let blur = BlurImageProcessor(blurRadius: 4)
        let crop = CroppingImageProcessor(size: CGSize(width: 1, height: 1))
        #expect((blur |> crop).identifier == "\(blur.identifier)|>\(crop.identifier)")
        #expect((DefaultImageProcessor.default |> blur).identifier == "|>\(blur.identifier)")
        #expect(blur.append(another: crop).identifier == (blur |> crop).identifier)
        #expect(
            (blur |> crop |> blur).identifier == "\(blur.identifier)|>\(crop.identifier)|>\(blur.identifier)")
    }

    @Test("Corners have the raw bits of the original")
    func corners() {
        #expect(RectCorner.topLeft.rawValue == 1)
        #expect(RectCorner.topRight.rawValue == 2)
        #expect(RectCorner.bottomLeft.rawValue == 4)
        #expect(RectCorner.bottomRight.rawValue == 8)
        #expect(RectCorner.all.rawValue == 15)
    }
}
