import Foundation
import KingfisherTestSupport
import Testing

/// Thousands of corrupt files of each format in a separate process: no crash, no hang, bounded memory.
///
/// `KINGFISHER_SOAK=1` tests ten thousand of each. The suite of KingfisherWebP does the same for WebP.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    @Test func jpeg() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try MutationRun(of: ReferenceTests.jpegs + ["Progressive/small.jpg"]).check("JPEG")
        }
        MutationRun.report(result?.standardOutputContent)
    }

    @Test func png() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try MutationRun(of: ReferenceTests.pngs).check("PNG")
        }
        MutationRun.report(result?.standardOutputContent)
    }

    @Test func apng() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try MutationRun(of: ReferenceTests.apngs).check("APNG")
        }
        MutationRun.report(result?.standardOutputContent)
    }

    @Test func gif() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try MutationRun(of: ReferenceTests.gifs).check("GIF")
        }
        MutationRun.report(result?.standardOutputContent)
    }

    @Test("The same seed gives the same file, and almost every file differs from the original")
    func mutations() throws {
        let files = try ReferenceTests.pngs.map { try Fixtures.data(named: $0) }
        let (one, other) = (FileMutator(files), FileMutator(files))
        let mutated = (0..<500).map(one.file)
        #expect(mutated == (0..<500).map(other.file))
        #expect(mutated.count { files.contains($0) } < 10)
        #expect(Set(mutated).count > 480)
    }
}
