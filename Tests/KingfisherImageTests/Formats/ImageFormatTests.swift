import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherImage

@Suite struct ImageFormatTests {
    private static let signatures: [(ImageFormat, [UInt8])] = [
        (.PNG, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.JPEG, [0xFF, 0xD8, 0xFF]),
        (.GIF, Array("GIF".utf8)),
    ]

    @Test("Nine bytes identify a format, eight do not", .behaviours("I-1"), arguments: signatures)
    func nineBytesTell(format: ImageFormat, signature: [UInt8]) {
        let padded = signature + Array(repeating: 0, count: 9 - signature.count)
        #expect(Data(padded).kf.imageFormat == format)
        #expect(Data(padded.prefix(8)).kf.imageFormat == .unknown)
        #expect(Data().kf.imageFormat == .unknown)
        #expect(Data([0] + padded).kf.imageFormat == .unknown)
    }

    @Test(
        "A change in any byte of the signature changes the format", .behaviours("I-1"), arguments: signatures)
    func everyByteOfTheSignatureCounts(format: ImageFormat, signature: [UInt8]) {
        for index in signature.indices {
            var bytes = signature + Array(repeating: 0, count: 9)
            bytes[index] ^= 0x20
            #expect(Data(bytes).kf.imageFormat == .unknown)
        }
    }

    @Test func aSliceIsReadFromItsStartIndex() throws {
        let data = try Data([1, 2, 3]) + Fixtures.data(named: "GIF/single.gif")
        #expect(data.dropFirst(3).kf.imageFormat == .GIF)
        #expect(Image(data: data.dropFirst(3))?.size == CGSize(width: 24, height: 18))
    }

    @Test func jpegMarkersAreFound() throws {
        let baseline = try Fixtures.data(named: "JPEG/420.jpg").kf
        let progressive = try Fixtures.data(named: "JPEG/progressive.jpg").kf
        let restart = try Fixtures.data(named: "JPEG/restart.jpg").kf
        #expect(baseline.contains(jpeg: .SOF0) && !baseline.contains(jpeg: .SOF2))
        #expect(progressive.contains(jpeg: .SOF2) && !progressive.contains(jpeg: .SOF0))
        #expect(restart.contains(jpeg: .DRI) && restart.contains(jpeg: .RSTn(1)))
        #expect(!baseline.contains(jpeg: .DRI))
        for marker in [ImageFormat.JPEGMarker.DHT, .DQT, .SOS, .APPn, .EOI] {
            #expect(baseline.contains(jpeg: marker))
        }
        #expect(try !Fixtures.data(named: "PNG/rgb8.png").kf.contains(jpeg: .SOF0))
    }

    @Test func aRegisteredCodecIdentifiesItsFormat() throws {
        struct Plain: ImageCodec {
            let format = ImageFormat(name: "PLAIN")
            func matches(_ prefix: UnsafeRawBufferPointer) -> Bool {
                prefix.starts(with: Array("PLAIN".utf8))
            }
            func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
                throw .truncated
            }
        }
        let data = Data("PLAIN image".utf8)
        #expect(data.kf.imageFormat == .unknown)
        ImageCodecs.register(Plain())
        defer { ImageCodecs.unregister(Plain().format) }
        #expect(data.kf.imageFormat == Plain().format)
        #expect(Image(data: data) == nil)
        #expect(try Image(pixels: whitePixel).kf.data(format: Plain().format) == nil)
    }

    private var whitePixel: PixelBuffer {
        get throws { try Samples.buffer(1, .gray8, [255]) }
    }
}
