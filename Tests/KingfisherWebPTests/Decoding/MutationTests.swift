import Kingfisher
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Thousands of corrupt files in a separate process, as in the suite of the same name for other formats.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    @Test func webP() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ImageCodecs.register(.webP)
            let names = Fixtures.names(in: "WebP", withExtension: "webp")
            let small = try names.filter { try Fixtures.data(named: $0).count < 4 << 10 }
            precondition(small.count > 100)
            try MutationRun(of: small).check("WebP")
        }
        MutationRun.report(result?.standardOutputContent)
    }
}
