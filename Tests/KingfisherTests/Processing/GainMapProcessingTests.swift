import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Gain maps are cropped, scaled and turned as their base images are.
@Suite struct GainMapProcessingTests {
    private static let steps = [
        "resize:24x16", "resize:96x64", "resize:10x32", "downsample:12x12", "fit:24x24", "cut:10,6,20x12",
        "crop:16x16,0,0.5", "cover:16x16", "focus:16x16,0,0", "rotate:90", "rotate:180", "flip:horizontal",
        "flip:vertical", "cut:4,8,28x20 rotate:90 flip:horizontal",
        "cut:4,8,28x20 rotate:90 flip:horizontal resize:10x14", "rotate:270 cut:0,8,32x20",
    ]

    private func processor(_ steps: String) throws -> any ImageProcessor {
        try #require(steps.split(separator: " ").map { try ProcessingStep(String($0)) }.processor)
    }

    private func processed(_ file: Data, _ processor: any ImageProcessor) throws -> Image {
        try #require(processor.process(item: .data(file), options: KingfisherParsedOptionsInfo(nil)))
    }

    private func jpeg() throws -> any ImageCodec { try #require(ImageCodecs.codec(for: .JPEG)) }

    @Test(arguments: steps)
    func `A changed gain map equals what Pillow makes of it`(_ steps: String) throws {
        let reference = try #require(try GainMapReference.read().changes[steps])
        let file = try GainMapReference.file("ultra-hdr")
        let processor = try processor(steps)
        let image = try processed(file, processor)
        let map = try #require(try GainMap(of: file, for: image, after: processor, in: jpeg()))
        let pixels = try #require(Image.decode(map.file).pixels)
        #expect([pixels.width, pixels.height] == reference.size && pixels.size == map.size)
        #expect(pixels.format == .gray8)
        // Both files are lossy.
        #expect(try #require(PixelDifference(pixels.allSamples, reference.levels)).largest <= 8)
    }

    @Test(arguments: ["ultra-hdr", "channels", "iso", "common", "both", "p3-gray"])
    func `An encoded image has its gain map, and the same pixels as without`(_ name: String) throws {
        let file = try GainMapReference.file(name)
        let source = try #require(GainMap(of: file))
        for steps in ["fit:20x20", "rotate:90", "cut:8,8,9x11"] {
            let processor = try processor(steps)
            let image = try processed(file, processor)
            var options = ImageEncodingOptions(quality: 0.9)
            let plain = try image.encoded(as: .JPEG, options: options)
            options.metadata = try ImageMetadataBlocks(of: file).withoutLocation()
            options.gainMap = try GainMap(of: file, for: image, after: processor, in: jpeg())
            let made = try image.encoded(as: .JPEG, options: options)
            let map = try #require(GainMap(of: made))
            #expect(map.forms == source.forms && map.capacity == source.capacity)
            #expect(try Image.decode(made).pixels?.packedBytes == Image.decode(plain).pixels?.packedBytes)
            #expect(try Image.decode(made).size == image.size)
            for text in ["GPSLatitude", "33,51.4", "ICC_PROFILE"] {
                #expect(made.range(of: Data(text.utf8)) == nil)
            }
        }
    }

    @Test func `A gain map in base colours is one in any colours if it is gray`() throws {
        let file = try GainMapReference.file("p3-gray")
        #expect(GainMap(of: file)?.parameters?.usesBaseColors == false)
        let map = try #require(try GainMap(of: file, for: Image.decode(file), after: nil, in: jpeg()))
        #expect(map.parameters?.usesBaseColors == true)
    }

    @Test func `An unchanged gain map is not encoded again`() throws {
        let file = try GainMapReference.file("iso")
        let map = try GainMap(of: file, for: Image.decode(file), after: nil, in: jpeg())
        #expect(map == GainMap(of: file))
    }

    @Test(
        arguments: [
            ("ultra-hdr", "blur:2", "JPEG", GainMapLoss.processing),
            ("iso", "fit:20x20 tint:#f00", "JPEG", .processing),
            ("iso", "pad:60x60", "JPEG", .processing), ("iso", "trim:0.5", "JPEG", .processing),
            ("iso", "fit:20x20", "PNG", .format), ("p3-color", "fit:20x20", "JPEG", .colors),
            ("libultrahdr", "fit:20x20", "JPEG", .colors),
        ])
    func `A gain map that does not fit is lost, for a stated reason`(
        _ name: String, _ steps: String, _ format: String, _ reason: GainMapLoss
    ) throws {
        let file = try GainMapReference.file(name)
        let processor = try processor(steps)
        let image = try processed(file, processor)
        let codec = try #require(ImageCodecs.codec(for: ImageFormat(name: format)))
        #expect(throws: reason) { try GainMap(of: file, for: image, after: processor, in: codec) }
    }

    @Test func `A gain map that is announced but missing is unreadable, and no gain map is none`() throws {
        let file = try GainMapReference.file("ultra-hdr").dropLast(40)
        let image = try Image.decode(Data(file))
        #expect(throws: GainMapLoss.unreadable) {
            try GainMap(of: Data(file), for: image, after: nil, in: try jpeg())
        }
        let plain = try image.encoded(as: .JPEG)
        #expect(try GainMap(of: plain, for: image, after: nil, in: jpeg()) == nil)
    }

    @Test func `An image of another size than the steps give has no gain map`() throws {
        let file = try GainMapReference.file("iso")
        let other = try processed(file, processor("fit:20x20"))
        #expect(throws: GainMapLoss.processing) {
            try GainMap(of: file, for: other, after: processor("fit:21x21"), in: try jpeg())
        }
    }

    @Test(
        arguments: [
            "fit:20x0", "fit:90x90,enlarge", "cover:20x30,0.3,0.9", "cover:200x100,enlarge",
            "cover:300x100,ratio", "downsample:13x9", "resize:31x17", "resize:40x40,fit", "resize:40x40,fill",
            "crop:20x20,1,0", "crop:500x3", "cut:5,3,20x90", "focus:30x10,0.8,0.1", "rotate:90",
            "flip:vertical",
            "cut:3,5,31x29 rotate:270 cover:12x12 flip:horizontal",
        ],
        [PixelSize(width: 97, height: 61), PixelSize(width: 40, height: 77), PixelSize(width: 1, height: 50)])
    func `The geometry of steps has the size of their result`(_ steps: String, _ size: PixelSize) throws {
        let image = Image(pixels: try TestHelpers.TestImages.gradients(size.width, size.height), scale: 1)
        for scale in [1.0, 2] {
            let options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
            let processor = try processor(steps)
            guard let result = processor.process(item: .image(image), options: options) else { continue }
            let geometry = try #require(processor.geometry(of: size, options: options))
            #expect(geometry.size == result.pixels?.size)
        }
    }
}
