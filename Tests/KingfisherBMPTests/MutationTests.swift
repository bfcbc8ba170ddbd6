import Kingfisher
import KingfisherBMP
import KingfisherTestSupport
import Testing

/// Thousands of corrupt files in a separate process, as in the suite of the same name for other formats.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    /// Run lengths of a few bytes may fill the largest image, which takes 400 MB: more than the run allows.
    @Test func bmp() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ImageCodecs.register(.bmp)
            ImageLimits.maximumPixels = 16_000_000
            try MutationRun(of: Fixtures.names(in: "BMP", withExtension: "bmp")).check("BMP")
        }
        MutationRun.report(result?.standardOutputContent)
    }

    @Test func ico() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ImageCodecs.register(.ico)
            try MutationRun(of: Fixtures.names(in: "ICO", withExtension: "ico")).check("ICO")
        }
        MutationRun.report(result?.standardOutputContent)
    }
}
