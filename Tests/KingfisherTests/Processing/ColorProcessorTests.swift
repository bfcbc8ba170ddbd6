import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A custom processor: an identifier and a filter.
struct SepiaProcessor: PixelFilterProcessor {
    let identifier = "org.example.sepia"
    let filter = Filter { image in
        image.kf.adjusted(brightness: 0, contrast: 1, saturation: 0, inputEV: 0)
            .kf.image(withBlendMode: .multiply, backgroundColor: Color(red: 1, green: 0.9, blue: 0.7))
    }
}

/// Processors give the results of the image members with the same names, which have reference tests.
@Suite struct ColorProcessorTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    private func expect(
        _ processor: any ImageProcessor, makes wanted: (Image) -> Image,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let image = try TestImages.image
        let made = processor.process(item: .data(try TestImages.png), options: options)
        #expect(samePixels(made, wanted(image)), sourceLocation: sourceLocation)
        #expect(!samePixels(made, image), sourceLocation: sourceLocation)
    }

    @Test("A blend processor gives the result of the image member") func blend() throws {
        for mode in [BlendMode.hardLight, .colorBurn, .plusDarker, .sourceOut] {
            try expect(BlendImageProcessor(blendMode: mode, alpha: 0.7, backgroundColor: .purple)) {
                $0.kf.image(withBlendMode: mode, alpha: 0.7, backgroundColor: .purple)
            }
        }
        try expect(BlendImageProcessor(blendMode: .normal, alpha: 0.5)) {
            $0.kf.image(withBlendMode: .normal, alpha: 0.5)
        }
    }

    @Test("A tint processor gives the result of the image member") func tint() throws {
        let veil = Color(red: 0.2, green: 0.4, blue: 0.9, alpha: 0.3)
        try expect(TintImageProcessor(tint: veil)) { $0.kf.tinted(with: veil) }
        try expect(TintImageProcessor(tint: veil)) { $0.kf.apply(Filter.tint(veil)) }
    }

    @Test("A colour controls processor gives the result of the image member") func colorControls() throws {
        let element = Filter.ColorElement(brightness: 0.1, contrast: 0.8, saturation: 1.5, inputEV: -0.4)
        let processor = ColorControlsProcessor(brightness: 0.1, contrast: 0.8, saturation: 1.5, inputEV: -0.4)
        try expect(processor) { $0.kf.apply(Filter.colorControl(element)) }
        try expect(processor) {
            $0.kf.adjusted(brightness: 0.1, contrast: 0.8, saturation: 1.5, inputEV: -0.4)
        }
    }

    @Test("A black and white processor gives the result of the image member") func blackWhite() throws {
        try expect(BlackWhiteProcessor()) {
            $0.kf.adjusted(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7)
        }
    }

    @Test("A custom filter processor applies its filter") func customFilter() throws {
        let processor = SepiaProcessor()
        try expect(processor) { $0.kf.apply(processor.filter) }
    }

    @Test("A filter applies to every frame of an animation") func animation() throws {
        let gif = try TestImages.gif
        let plain = try #require(DefaultImageProcessor.default.process(item: .data(gif), options: options))
        let still = try #require(BlackWhiteProcessor().process(item: .data(gif), options: options))
        #expect(still.kf.frameSource == nil && still.images == nil)
        for processor in [BlackWhiteProcessor(), SepiaProcessor()] as [any ImageProcessor] {
            let made = processor.framewise.process(item: .data(gif), options: options)
            let (before, after) = (plain.kf.frameSource, try #require(made?.kf.frameSource))
            #expect(after.frameCount == before?.frameCount)
            for index in 0..<after.frameCount {
                let frame = try #require(before?.frame(at: index, maxSize: nil))
                let wanted = processor.process(item: .image(Image(pixels: frame)), options: options)
                let pixels = try #require(after.frame(at: index, maxSize: nil))
                #expect(samePixels(Image(pixels: pixels), wanted), "frame \(index)")
            }
        }
    }
}
