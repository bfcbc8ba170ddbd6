import Synchronization

/// Counts the threads of this process that decode baseline JPEGs while it exists, so that one image uses a
/// second core only while the others leave it idle. A guess: other work does not count, and two callers may
/// take the last core. Safe from any thread.
struct IdleCoreReservation: ~Copyable {
    private static let busy = Atomic(0)

    /// Whether the owner may use a second thread.
    let hasHelper: Bool

    /// `cores` are those that the image may use; with one, the owner gets no second thread.
    init(cores: Int) {
        let others = Self.busy.add(1, ordering: .relaxed).oldValue
        hasHelper = others + 2 <= cores
        if hasHelper { Self.busy.add(1, ordering: .relaxed) }
    }

    deinit { Self.busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed) }
}
