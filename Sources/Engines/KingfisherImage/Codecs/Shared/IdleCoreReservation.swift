import CLinux
import Synchronization

/// Counts the threads of this process that decode baseline JPEG, AVIF and HEIC files while it exists, so that
/// one image uses a second core only while the others leave it idle. A guess: other work does not count, and
/// two callers may take the last core. Safe from any thread.
package struct IdleCoreReservation: ~Copyable {
    private static let busy = Atomic(0)

    /// Whether the owner may use a second thread.
    package let hasHelper: Bool

    /// The cores that an image may use: one if the context forbids a second thread, otherwise those that the
    /// process's affinity allows (Foundation counts all).
    ///
    /// The system is asked only in the last case: decoder processes, whose contexts forbid a second thread,
    /// may not ask it.
    package static var allowedCores: Int {
        guard DecodingContext.current?.usesIdleCores ?? true else { return 1 }
        return Int(kf_linux_count_cores(kf_linux_allowed_cores()))
    }

    /// `cores` are those that the image may use; with one, the owner gets no second thread.
    package init(cores: Int) {
        let others = Self.busy.add(1, ordering: .relaxed).oldValue
        hasHelper = others + 2 <= cores
        if hasHelper { Self.busy.add(1, ordering: .relaxed) }
    }

    deinit { Self.busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed) }
}
