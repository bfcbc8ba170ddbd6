import CKernelsCross
import Testing

@testable import KingfisherImage

/// The checks in C, which `scripts/test-arm64` runs without Swift: widths from 1 to 70, odd strides and
/// addresses, and memory that ends with the last sample, so that the Address Sanitizer finds accesses beyond.
@Suite struct KernelChecksTests {
    @Test(arguments: KernelLevel.supported, 0..<kf_check_count())
    func everyLevelMatchesTheScalarLoop(level: KernelLevel, number: Int32) {
        let check = kf_check_at(number).pointee
        var cases = 0
        let wrong = check.run(level.native, &cases)
        #expect(wrong == 0, "\(String(cString: check.name)), of \(cases)")
        #expect(cases >= 70)
    }
}
