import Foundation
import KingfisherWebP
import Testing

@Suite struct FormatTests {
    @Test func theFormatIsNamedWebP() {
        #expect(ImageFormat.webP.description == "WEBP")
        #expect(WebPCodec().format == .webP && WebPCodec().fileExtensions == ["webp"])
    }

    @Test func aPartialSignatureIsRecognised() {
        func matches(_ text: String) -> Bool { Data(text.utf8).withUnsafeBytes(WebPCodec().matches) }
        #expect(matches("RIFF....W"))
        #expect(matches("RIFF....WEBPVP8 "))
        #expect(!matches("RIFF...."))
        #expect(!matches("RIFF....WAVE"))
        #expect(!matches("RIFX....WEBP"))
    }
}
