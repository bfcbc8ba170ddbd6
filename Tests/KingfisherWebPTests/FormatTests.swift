import KingfisherWebP
import Testing

@Suite struct FormatTests {
    @Test func theRegisteredCodecIsNamedWebP() {
        ImageCodecs.register(.webP)
        #expect(ImageCodecs.codec(for: .webP)?.fileExtensions == ["webp"])
        #expect(ImageFormat.webP.description == "WEBP")
    }
}
