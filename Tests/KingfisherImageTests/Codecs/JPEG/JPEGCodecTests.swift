import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct JPEGCodecTests {
    private let codec = JPEGCodec()

    private func photo() throws -> Data { try Fixtures.data(named: "Photos/astronaut.jpg") }

    @Test(arguments: 1...8) func theHeaderContainsTheOrientation(exif: Int) throws {
        let header = try codec.header(of: Fixtures.data(named: "JPEG/orientation-\(exif).jpg"))
        #expect(header.size == PixelSize(width: 34, height: 23))
        #expect(header.orientation == Image.Orientation(exif: exif))
        #expect(header.displaySize == (exif > 4 ? PixelSize(width: 23, height: 34) : header.size))
    }

    @Test(arguments: [1, 30, 63, 64, 65, 100, 128, 129, 192, 255, 300, 512, 900])
    func decodesAtLeastTheMinimumSize(side: Int) throws {
        let minimum = PixelSize(width: side, height: side)
        let pixels = try codec.decode(photo(), minimumSize: minimum)
        #expect(pixels.width == pixels.height)
        #expect(pixels.width == [64, 128, 256].first { $0 >= side } ?? 512)
    }

    @Test func theMinimumSizeAppliesToTheUprightImage() throws {
        let upright = try codec.decode(
            Fixtures.data(named: "JPEG/orientation-6.jpg"), minimumSize: PixelSize(width: 11, height: 17))
        #expect(upright.size == PixelSize(width: 12, height: 17))
    }

    @Test func aSmallDecodeLooksLikeTheWholeImage() throws {
        let full = try codec.decode(photo(), minimumSize: nil)
        let small = try codec.decode(photo(), minimumSize: PixelSize(width: 64, height: 64))
        #expect(small.width == 64)
        for (x, y) in [(10, 10), (32, 20), (50, 60)] {
            var sum = [0, 0, 0]
            for offset in 0..<64 {
                let samples = try #require(full.samples(x: x * 8 + offset % 8, y: y * 8 + offset / 8))
                for channel in 0..<3 { sum[channel] += samples[channel] }
            }
            let samples = try #require(small.samples(x: x, y: y))
            for channel in 0..<3 { #expect(abs(samples[channel] - sum[channel] / 64) <= 6) }
        }
    }

    @Test func grayStaysGray() throws {
        let pixels = try codec.decode(Fixtures.data(named: "JPEG/gray.jpg"), minimumSize: nil)
        #expect(pixels.format == .gray8)
        let again = try codec.decode(codec.encode(pixels, options: .init()), minimumSize: nil)
        #expect(again.format == .gray8)
    }

    @Test func CMYKBecomesOpaqueRGB() throws {
        for name in ["cmyk", "ycck"] {
            #expect(
                try codec.decode(Fixtures.data(named: "JPEG/\(name).jpg"), minimumSize: nil).format
                    == .rgba8Opaque)
        }
    }

    @Test func CMYKWithoutAdobeMarkerIsNotInverted() throws {
        let data = try Fixtures.data(named: "JPEG/cmyk.jpg")
        let adobe = try #require(data.offset(of: [0xFF, 0xEE]))
        let plain = try codec.decode(data.prefix(adobe) + data.dropFirst(adobe + 16), minimumSize: nil)
        let inverted = try codec.decode(data, minimumSize: nil)
        let brightness = { (pixels: PixelBuffer) in Samples.all(pixels).reduce(0) { $0 + $1[1] } }
        #expect(brightness(plain) < brightness(inverted) / 4)
    }

    @Test func strayBytesBetweenSegmentsAndAfterTheEndAreIgnored() throws {
        let data = try Fixtures.data(named: "JPEG/444.jpg")
        let clean = Samples.all(try codec.decode(data, minimumSize: nil))
        let table = try #require(data.offset(of: [0xFF, 0xDB]))
        let stray = data.prefix(table) + [1, 2, 3, 0xFF] + data.dropFirst(table) + [0, 0xFF, 7]
        #expect(Samples.all(try codec.decode(Data(stray), minimumSize: nil)) == clean)
    }

    @Test(arguments: [(1, 500), (10_000_000, 500), (50_000_000, 100), (100_000_000, 50)])
    func theScanLimitDecreasesWithTheArea(area: Int, scans: Int) {
        #expect(JPEGDecoder.maximumScans(of: PixelSize(width: area, height: 1)) == scans)
    }

    @Test func tooManyScansAreRefused() throws {
        let data = try Fixtures.data(named: "JPEG/three-scans.jpg")
        var lastScan = 0
        while let next = data.offset(of: [0xFF, 0xDA], from: lastScan + 1) { lastScan = next }
        func repeating(_ count: Int) -> Data {
            let scan = data[lastScan..<data.count - 2]
            return (0..<count).reduce(into: data.prefix(lastScan)) { data, _ in data += scan } + [0xFF, 0xD9]
        }
        #expect(try codec.decode(repeating(400), minimumSize: nil).width == 48)
        #expect(throws: ImageCodecError.corrupt("too many scans for its size")) {
            try codec.decode(repeating(600), minimumSize: nil)
        }
    }

    @Test func hugeHeaderIsRefused() throws {
        for name in ["420", "progressive", "cmyk"] {
            let data = try Fixtures.data(named: "JPEG/\(name).jpg").promising(
                jpegWidth: 60_000, height: 60_000)
            #expect(throws: ImageCodecError.tooLarge(width: 60_000, height: 60_000)) {
                try codec.decode(data, minimumSize: nil)
            }
            #expect(throws: ImageCodecError.tooLarge(width: 60_000, height: 60_000)) {
                try codec.header(of: data)
            }
        }
    }

    @Test func losslessProcessesAndTwelveBitsAreUnsupported() throws {
        let data = try Fixtures.data(named: "JPEG/420.jpg")
        let frame = try #require(data.offset(of: [0xFF, 0xC0]))
        for damaged in [data.replacing([0xC3], at: frame + 1), data.replacing([12], at: frame + 4)] {
            #expect(throws: ImageCodecError.self) { try codec.decode(damaged, minimumSize: nil) }
            do {
                _ = try codec.decode(damaged, minimumSize: nil)
            } catch {
                guard case .unsupported = error else { Issue.record("\(error)"); continue }
            }
        }
    }
}
