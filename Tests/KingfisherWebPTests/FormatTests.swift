import KingfisherWebP
import Testing

@Suite struct FormatTests {
    @Test func theFormatIsNamedWebP() {
        #expect(ImageFormat.webP.description == "WEBP")
        #expect(WebPCodec().format == .webP && WebPCodec().fileExtensions == ["webp"])
    }
}
