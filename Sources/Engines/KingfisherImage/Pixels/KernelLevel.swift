package import CKernels

/// The instruction set that the pixel kernels use.
///
/// The best one that the processor supports, unless a test sets another for a task.
package enum KernelLevel: UInt32, CaseIterable, Sendable {
    case scalar = 0
    case sse2 = 1
    case avx2 = 2

    @TaskLocal package static var current = supported[supported.count - 1]

    /// The levels that this build can run on this processor, ascending.
    package static let supported = allCases.filter { kf_supports($0.native) }

    package var native: kf_level { kf_level(rawValue: rawValue) }
}
