import Foundation
import KingfisherBMP
import KingfisherTestSupport
import Testing

@Suite struct FormatTests {
    @Test func registeredCodecsRecogniseTheirFiles() throws {
        var registry = CodecRegistry.builtIn
        registry.register(.bmp)
        registry.register(.ico)
        for name in References.bitmaps {
            #expect(registry.codec(for: try Fixtures.data(named: name))?.format == .bmp, "\(name)")
        }
        for name in References.icons {
            #expect(registry.codec(for: try Fixtures.data(named: name))?.format == .ico, "\(name)")
        }
        #expect(registry.format(forFileExtension: "DIB") == .bmp)
        #expect(registry.format(forFileExtension: "cur") == .ico)
    }

    @Test func formatsHaveNamesAndMediaTypes() {
        #expect(ImageFormat.bmp.name == "BMP" && BMPCodec().mediaType == "image/bmp")
        #expect(ImageFormat.ico.name == "ICO" && ICOCodec().mediaType == "image/vnd.microsoft.icon")
    }

    @Test(arguments: [
        Data("BMW is a car, not a bitmap".utf8), Data("B".utf8), Data("MB".utf8) + Data(count: 60), Data(),
    ])
    func otherBytesAreNoBitmap(bytes: Data) {
        #expect(!bytes.withUnsafeBytes(BMPCodec().matches))
    }

    /// A TGA file and an MP4 file begin with the same bytes as an icon.
    @Test(arguments: [
        [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0x66, 0x74, 0x79, 0x70, 0x69, 0x73, 0x6F, 0x6D],
        [0, 0, 3, 0, 1, 0, 16, 16, 0, 0], [0, 1, 1, 0, 1, 0, 16, 16, 0, 0], [],
    ])
    func otherBytesAreNoIcon(bytes: [UInt8]) {
        #expect(!Data(bytes).withUnsafeBytes(ICOCodec().matches))
    }
}
