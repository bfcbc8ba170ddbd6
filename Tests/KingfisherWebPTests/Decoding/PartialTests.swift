import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage
@testable import KingfisherWebP

/// Truncated WebP files, if the caller accepts partial images.
@Suite struct PartialTests {
    private let codec = WebPCodec()

    private var accepting: ImageCreatingOptions {
        var options = ImageCreatingOptions()
        options.acceptsPartialImages = true
        return options
    }

    @Test(arguments: ["photo-q10", "lossless-ramps-z9", "badge"])
    func stillsShowTheRowsThatArrived(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let whole = try codec.decode(data, minimumSize: nil)
        let expected = samples(whole)
        var most = 0
        for count in stride(from: 12, to: data.count, by: max(data.count / 40, 1)) {
            let cut = data.prefix(count)
            #expect(codec.endsEarly(cut))
            guard let pixels = try? codec.decode(cut, minimumSize: nil, acceptsPartialImages: true) else {
                continue
            }
            #expect(pixels.size == whole.size)
            #expect(try codec.header(of: cut, acceptsPartialImages: true).size == whole.size)
            let rows = samples(pixels)
            let came = (0..<whole.height).first { rows[$0] != expected[$0] } ?? whole.height
            // The chroma of a row may differ if the next row is missing.
            #expect(rows[min(came + 2, whole.height)...].allSatisfy { $0.allSatisfy { $0 == 0 } })
            #expect(came >= most)
            most = came
            let image = try Image.decode(cut, using: codec, options: accepting)
            #expect(image.kf.fileBytes == nil && image.pixels?.allSamples == pixels.allSamples)
        }
        #expect(most > whole.height / 3)
        #expect(!codec.endsEarly(data))
        let same = try codec.decode(data, minimumSize: nil, acceptsPartialImages: true)
        #expect(same.allSamples == whole.allSamples)
    }

    @Test func animationsShowTheirCompleteFrames() throws {
        let data = try Fixtures.data(named: "WebP/anim-blend-keep-lossless-alpha.webp")
        let whole = try #require(try WebPCodec.source(data))
        var counts: [Int] = []
        for count in stride(from: 12, to: data.count, by: max(data.count / 60, 1)) {
            let cut = data.prefix(count)
            guard let image = try? Image.decode(cut, using: codec, options: accepting),
                let source = image.kf.frameSource
            else {
                #expect(throws: ImageCodecError.truncated) {
                    try codec.frameSource(for: cut, acceptsPartialImages: true)
                }
                continue
            }
            counts.append(source.frameCount)
            let last = source.frameCount - 1
            #expect(source.frame(at: last)?.allSamples == (try whole.composedFrame(at: last).allSamples))
            #expect(try codec.header(of: #require(source.data)).frameCount == source.frameCount)
        }
        #expect(counts == counts.sorted() && Set(counts).count > 1)
    }

    @Test func partialImagesAreShrunk() throws {
        let data = try Fixtures.data(named: "WebP/photo-q10.webp")
        let size = CGSize(width: 20, height: 20)
        let cut = data.prefix(data.count * 2 / 3)
        let small = try Image.downsample(cut, using: codec, to: size, scale: 1, acceptsPartialImages: true)
        #expect(max(small.size.width, small.size.height) == 20)
        #expect(throws: ImageCodecError.truncated) {
            try Image.downsample(cut, using: codec, to: size, scale: 1)
        }
        for count in [9, 12, 20] {
            #expect(throws: ImageCodecError.self) {
                try codec.decode(data.prefix(count), minimumSize: nil, acceptsPartialImages: true)
            }
        }
    }

    @Test func animationsAboveTheTotalPixelLimitAreRefused() throws {
        let data = try Fixtures.data(named: "WebP/anim-loops-3.webp")
        let header = try codec.header(of: data)
        var limits = ImageLimits()
        limits.maximumAnimationPixels = header.size.area * header.frameCount - 1
        try DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooManyAnimationPixels) { try codec.frameSource(for: data) }
            let still = ImageCreatingOptions(onlyFirstFrame: true)
            #expect(try Image.decode(data, using: codec, options: still).pixels?.size == header.displaySize)
            let image = try Image.downsample(data, using: codec, to: CGSize(width: 1, height: 1), scale: 1)
            #expect(image.size == CGSize(width: 1, height: 1))
        }
        let frames = try #require(try codec.frameSource(for: data))
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooManyAnimationPixels) {
                try codec.encode(frames, options: ImageEncodingOptions())
            }
        }
    }

    private func samples(_ pixels: PixelBuffer) -> [[Int]] {
        (0..<pixels.height).map { y in
            (0..<pixels.width).flatMap { x -> [Int] in
                let sample = pixels.samples(x: x, y: y) ?? []
                // The colour of fully transparent pixels does not matter.
                return sample.last == 0 ? [0, 0, 0, 0] : sample
            }
        }
    }
}
