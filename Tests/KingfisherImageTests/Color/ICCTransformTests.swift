import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Colours of embedded profiles against Pillow's ImageCms.
@Suite struct ICCTransformTests {
    private let size = PixelSize(width: 48, height: 32)

    private func profile(_ name: String) throws -> Data {
        try Fixtures.data(named: "Color/\(name).icc")
    }

    private func transform(_ profile: Data, of samples: ICCSamples = .rgb(.eight)) throws -> ICCTransform? {
        try profile.reading { reader throws(ImageCodecError) in
            ICCTransform.toSRGB(from: reader, of: samples)
        }
    }

    private func gradient(_ format: PixelFormat) throws -> PixelBuffer {
        let rows = [UInt8](try Fixtures.data(named: "Color/gradient.rgba"))
        let samples = rows.enumerated().map { format.isOpaque && $0 % 4 == 3 ? 255 : Int($1) }
        return try Samples.buffer(size.width, format, samples)
    }

    /// The reference is another version of lcms2, with three channels: a level may differ by rounding.
    @Test(arguments: [PixelFormat.rgba8Straight, .rgba8Opaque])
    func wideGamutColoursAreWithinALevelOfImageCms(format: PixelFormat) throws {
        let transform = try #require(try transform(profile("rec2020")))
        let before = try gradient(format)
        let after = try transform.converted(before)
        let reference = [UInt8](try Fixtures.data(named: "Color/gradient.rec2020.rgba"))
        let (ours, stored) = (Samples.all(after).flatMap(\.self), Samples.all(before).flatMap(\.self))
        #expect(after.format == format)
        var moved = 0
        for index in ours.indices where index % 4 < 3 {
            #expect(abs(ours[index] - Int(reference[index])) <= 1)
            moved = max(moved, abs(ours[index] - stored[index]))
        }
        #expect(moved > 60)
        #expect(stride(from: 3, to: ours.count, by: 4).allSatisfy { ours[$0] == stored[$0] })
    }

    @Test func theExtentIsPreserved() throws {
        let transform = try #require(try transform(profile("rec2020")))
        let before = try gradient(.rgba8Straight)
        let shrunk = try before.shrunk(by: ShrinkPlan(of: before.size, boxWidth: 5, boxHeight: 3))
        #expect(shrunk.extent != PixelExtent(shrunk.size))
        #expect(try transform.converted(shrunk).extent == shrunk.extent)
        let premultiplied = try shrunk.converted(to: .rgba8Premultiplied)
        #expect(try transform.converted(premultiplied).extent == shrunk.extent)
    }

    /// The reference is computed in floating point. The profile has 1,024 samples of the curve: at its steep
    /// end, linear interpolation differs by half a level of 8 bits.
    @Test func sixteenBitPixelsKeepTheirDepth() throws {
        let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
        let transform = try #require(try transform(profile("rec2020"), of: ICCSamples(format)))
        let stored = [UInt8](try Fixtures.data(named: "Color/gradient.rgba")).map { Int($0) * 257 }
        let ours = Samples.all(try transform.converted(Samples.buffer(size.width, format, stored)))
        let bytes = try Fixtures.data(named: "Color/gradient.rec2020.16").map(Int.init)
        let exact = stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] | bytes[$0 + 1] << 8 }
        var (between, sum) = (0, 0)
        for (index, pixel) in ours.enumerated() {
            for channel in 0..<3 {
                let difference = abs(pixel[channel] - exact[index * 3 + channel])
                #expect(difference <= 140)
                sum += difference
            }
            #expect(pixel[3] == stored[index * 4 + 3])
            between += pixel[0] % 257 == 0 ? 0 : 1
        }
        #expect(between > ours.count / 4)
        #expect(sum / exact.count <= 10)
    }

    /// `gray.icc` declares a gamma of 2.2, sRGB has a piecewise curve: the formulas give the same light.
    @Test(arguments: [PixelFormat.Depth.eight, .sixteen], [PixelFormat.Layout.gray, .grayAlpha])
    func greyStaysGrey(depth: PixelFormat.Depth, layout: PixelFormat.Layout) throws {
        let format = PixelFormat(layout: layout, depth: depth, alpha: .straight)
        let transform = try #require(try transform(profile("gray"), of: ICCSamples(format)))
        let white = depth == .eight ? 255 : 65_535
        let step = white / 255
        let stored = (0...255).flatMap { (level: Int) -> [Int] in
            layout == .gray ? [level * step] : [level * step, (255 - level) * step]
        }
        let pixels = try transform.converted(Samples.buffer(256, format, stored))
        #expect(pixels.format == format)
        for (level, pixel) in Samples.all(pixels).enumerated() {
            let light = pow(Double(level) / 255, Double(Int(2.2 * 256)) / 256)
            let encoded = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
            #expect(abs(Double(pixel[0]) / Double(white) - encoded) <= 1.5 / 255)
            if layout == .grayAlpha { #expect(pixel[1] == (255 - level) * step) }
        }
    }

    @Test func premultipliedAlphaIsDividedOutAndMultipliedIn() throws {
        let transform = try #require(try transform(profile("rec2020")))
        let straight = try gradient(.rgba8Straight)
        let expected = try transform.converted(straight).converted(to: .rgba8Premultiplied)
        let ours = try transform.converted(straight.converted(to: .rgba8Premultiplied))
        #expect(ours.format == .rgba8Premultiplied)
        // Nearly transparent pixels have few colour levels before the conversion, and it spreads the darkest
        // ones.
        let differences = zip(Samples.all(ours), Samples.all(expected)).flatMap { one, other in
            zip(one, other).map { abs($0 - $1) }
        }
        #expect((differences.max() ?? 0) <= 8)
        #expect(differences.count { $0 > 2 } < differences.count / 100)
    }

    @Test func pixelsOfAnotherFormatAreRefused() throws {
        let transform = try #require(try transform(profile("rec2020")))
        #expect(throws: ImageCodecError.self) { try transform.converted(Samples.buffer(1, .gray8, [7])) }
        let deep = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
        #expect(throws: ImageCodecError.self) {
            try transform.converted(Samples.buffer(1, deep, [7, 7, 7, 7]))
        }
    }

    @Test func profilesEquivalentToSRGBGiveNoTransform() throws {
        #expect(try transform(profile("srgb")) == nil)
        // A curve of 1,024 samples and a rounded matrix: the same colours in other bytes.
        let webP = try Fixtures.data(named: "WebP/icc-srgb.webp")
        let start = try #require(webP.range(of: Data("ICCP".utf8))).upperBound
        let count = webP[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        let tables = webP[start + 4..<start + 4 + count]
        #expect(tables != (try profile("srgb")))
        #expect(try transform(Data(tables)) == nil)
    }

    @Test func corruptAndUnsuitableProfilesGiveNoTransform() throws {
        let wide = try profile("rec2020")
        #expect(try transform(profile("gray")) == nil)
        #expect(try transform(profile("lab")) == nil)
        for samples in [ICCSamples.rgb(.eight), .rgb(.sixteen), .gray(.eight, alpha: false)] {
            #expect(try transform(profile("inks"), of: samples) == nil)
        }
        #expect(try transform(profile("rec2020"), of: .inks) == nil)
        #expect(try transform(profile("rec2020"), of: .gray(.eight, alpha: true)) == nil)
        #expect(try transform(Data()) == nil)
        #expect(try transform(Data(repeating: 7, count: 500)) == nil)
        for count in stride(from: 0, to: wide.count, by: 7) {
            #expect(try transform(wide.prefix(count)) == nil, "\(count) bytes")
        }
        let long = wide + Data(count: ImageLimits.maximumMetadataBytes)
        #expect(try transform(long) == nil)
    }

    @Test func profilesWithFlippedBitsDoNotCrash() throws {
        let wide = try profile("rec2020")
        let pixels = try gradient(.rgba8Opaque)
        for offset in 0..<600 {
            let damaged = wide.replacing([wide[offset] ^ 1 << (offset % 8)], at: offset)
            if let transform = try transform(damaged) {
                #expect(try transform.converted(pixels).size == size)
            }
        }
    }

    @Test func transformsAreCachedAndTheOldestIsEvicted() throws {
        let cache = ICCTransformCache()
        var made = 0
        func ask(_ number: UInt8, count: Int = 200, of samples: ICCSamples = .rgb(.eight)) {
            _ = cache.transform(for: Data(repeating: number, count: count), of: samples) {
                made += 1
                return nil
            }
        }
        for number in 0..<UInt8(ICCTransformCache.capacity) { ask(number) }
        for number in 0..<UInt8(ICCTransformCache.capacity) { ask(number) }
        #expect(made == ICCTransformCache.capacity)
        ask(0)
        ask(200)
        #expect(cache.count == ICCTransformCache.capacity)
        // 0 was used recently, so 1 was evicted.
        ask(0)
        #expect(made == ICCTransformCache.capacity + 1)
        ask(1)
        #expect(made == ICCTransformCache.capacity + 2)
        ask(9, count: ICCTransformCache.maximumProfileBytes + 1)
        ask(9, count: ICCTransformCache.maximumProfileBytes + 1)
        #expect(made == ICCTransformCache.capacity + 4)
        ask(1, of: .rgb(.sixteen))
        #expect(made == ICCTransformCache.capacity + 5)
    }

    @Test func oneTransformServesManyThreads() async throws {
        let transform = try #require(try transform(profile("rec2020")))
        let pixels = try gradient(.rgba8Straight)
        let expected = Samples.all(try transform.converted(pixels))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<20).allSatisfy { _ in
                        (try? transform.converted(pixels)).map(Samples.all) == expected
                    }
                }
            }
            for await same in group { #expect(same) }
        }
    }
}
