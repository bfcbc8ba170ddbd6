/// Waits, without blocking a thread, until a condition holds; `false` when it does not within the time,
/// of which there is four times as much under a sanitizer.
///
/// For what other threads and processes do on their own: where a clock can be passed in, pass it in. The
/// condition is asked on the caller's actor.
public func poll(
    upTo limit: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    until condition: () -> Bool
) async -> Bool {
    let end = ContinuousClock.now + limit * (ProcessFacts.isSanitized ? 4 : 1)
    while !condition() {
        guard ContinuousClock.now < end else { return condition() }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
