/// Waits, without blocking a thread, until a condition holds. Returns `false` if it does not hold within the
/// time limit, which is four times as long under a sanitizer and in `make test-busy`.
///
/// Use it for work of other threads and processes; if a clock can be passed in, prefer that. The condition is
/// evaluated on the caller's actor.
public func poll(
    upTo limit: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    until condition: () -> Bool
) async -> Bool {
    let end = ContinuousClock.now + limit * ProcessStatus.slowness
    while !condition() {
        guard ContinuousClock.now < end else { return condition() }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
