import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import Testing

@Suite("AVIF: the format")
struct FormatTests {
    @Test("The codec names its extensions, media type and library")
    func names() {
        let codec = AVIFCodec()
        #expect(codec.fileExtensions.first == "avif")
        #expect(codec.mediaType == "image/avif")
        #expect(codec.version.hasPrefix("libavif "))
    }
}
