/// Waits, without blocking a thread, until a condition holds; `false` when it does not within the time.
///
/// For what other threads and processes do on their own: where a clock can be passed in, pass it in.
public func poll(upTo limit: Duration = .seconds(10), until condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else { return condition() }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
