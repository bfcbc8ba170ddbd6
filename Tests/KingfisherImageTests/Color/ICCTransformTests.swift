import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Colours of embedded profiles against Pillow's ImageCms.
@Suite struct ICCTransformTests {
    private let size = PixelSize(width: 48, height: 32)

    private func profile(_ name: String) throws -> Data {
        try Fixtures.data(named: "Color/\(name).icc")
    }

    private func transform(_ profile: Data) throws -> ICCTransform? {
        try profile.reading { reader throws(ImageCodecError) in ICCTransform.toSRGB(from: reader) }
    }

    private func gradient(_ format: PixelFormat) throws -> PixelBuffer {
        let rows = [UInt8](try Fixtures.data(named: "Color/gradient.rgba"))
        let samples = rows.enumerated().map { format.isOpaque && $0 % 4 == 3 ? 255 : Int($1) }
        return try Samples.buffer(size.width, format, samples)
    }

    /// The oracle is lcms2, too, of another version and from three channels: a level may differ by rounding.
    @Test(arguments: [PixelFormat.rgba8Straight, .rgba8Opaque])
    func aWideGamutIsWithinALevelOfImageCms(format: PixelFormat) throws {
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

    @Test func profilesThatAreSRGBInEffectChangeNothing() throws {
        #expect(try transform(profile("srgb")) == nil)
        // A curve of 1,024 samples and a rounded matrix: the same colours, other bytes.
        let webP = try Fixtures.data(named: "WebP/icc-srgb.webp")
        let start = try #require(webP.range(of: Data("ICCP".utf8))).upperBound
        let count = webP[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        let tables = webP[start + 4..<start + 4 + count]
        #expect(tables != (try profile("srgb")))
        #expect(try transform(Data(tables)) == nil)
    }

    @Test func brokenAndOtherProfilesAreLeftAside() throws {
        let wide = try profile("rec2020")
        #expect(try transform(profile("gray")) == nil)
        #expect(try transform(profile("lab")) == nil)
        #expect(try transform(Data()) == nil)
        #expect(try transform(Data(repeating: 7, count: 500)) == nil)
        for count in stride(from: 0, to: wide.count, by: 7) {
            #expect(try transform(wide.prefix(count)) == nil, "\(count) bytes")
        }
        let long = wide + Data(count: ImageLimits.maximumMetadataBytes)
        #expect(try transform(long) == nil)
    }

    @Test func damagedProfilesAreSurvived() throws {
        let wide = try profile("rec2020")
        let pixels = try gradient(.rgba8Opaque)
        for offset in 0..<600 {
            let damaged = wide.replacing([wide[offset] ^ 1 << (offset % 8)], at: offset)
            if let transform = try transform(damaged) {
                #expect(try transform.converted(pixels).size == size)
            }
        }
    }

    @Test func transformsAreKeptAndTheOldestGivenUp() throws {
        let cache = ICCTransformCache()
        var made = 0
        func ask(_ number: UInt8, count: Int = 200) {
            _ = cache.transform(for: Data(repeating: number, count: count)) {
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
        // 0 was used again, so that 1 had to go.
        ask(0)
        #expect(made == ICCTransformCache.capacity + 1)
        ask(1)
        #expect(made == ICCTransformCache.capacity + 2)
        ask(9, count: ICCTransformCache.maximumProfileBytes + 1)
        ask(9, count: ICCTransformCache.maximumProfileBytes + 1)
        #expect(made == ICCTransformCache.capacity + 4)
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
