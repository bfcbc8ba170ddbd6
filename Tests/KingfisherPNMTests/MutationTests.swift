import Kingfisher
import KingfisherPNM
import KingfisherTestSupport
import Testing

/// Thousands of corrupt files in a separate process, as in the suite of the same name for other formats.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    @Test func pnm() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ImageCodecs.register(.pnm)
            let names = ["pbm", "pgm", "ppm", "pam"].flatMap { Fixtures.names(in: "PNM", withExtension: $0) }
            try MutationRun(of: names).check("PNM")
        }
        MutationRun.report(result?.standardOutputContent)
    }
}
