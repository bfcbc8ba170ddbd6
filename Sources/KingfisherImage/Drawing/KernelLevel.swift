package import CKernels

/// Which instructions the pixel loops use.
///
/// The best that the processor has, unless a test forces another for the duration of a task.
package enum KernelLevel: UInt32, CaseIterable, Sendable {
    case scalar = 0
    case sse2 = 1
    case avx2 = 2

    /// The level of the running task.
    @TaskLocal package static var current = supported[supported.count - 1]

    /// The levels that this build can run on this processor, ascending.
    package static let supported = allCases.filter { kf_supports($0.native) }

    /// The value that the C functions take.
    package var native: kf_level { kf_level(rawValue: rawValue) }
}
