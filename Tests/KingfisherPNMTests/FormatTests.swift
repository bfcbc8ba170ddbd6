import Foundation
import KingfisherPNM
import KingfisherTestSupport
import Testing

@Suite struct FormatTests {
    @Test func theRegisteredCodecRecognisesItsFiles() throws {
        var registry = CodecRegistry.builtIn
        registry.register(.pnm)
        for name in References.names {
            #expect(registry.codec(for: try Fixtures.data(named: name))?.format == .pnm, "\(name)")
        }
        for fileExtension in ["pnm", "pbm", "pgm", "PPM", "pam"] {
            #expect(registry.format(forFileExtension: fileExtension) == .pnm)
        }
        #expect(PNMCodec().mediaType == "image/x-portable-anymap")
    }

    @Test(arguments: ["P5 1", "P1\n", "P6#", "P4\r\n \t12", "P7\n", "P3"])
    func startsOfFilesAreRecognised(text: String) {
        #expect(text.utf8.count == 2 || Data(text.utf8).withUnsafeBytes(PNMCodec().matches))
    }

    @Test(arguments: ["P8\n1 1", "P0 1", "P5x", "P51", "P1 is a text", "P7 332\n", "p5 1 1", "PNG", ""])
    func otherTextIsNotRecognised(text: String) {
        #expect(!Data(text.utf8).withUnsafeBytes(PNMCodec().matches))
    }
}
