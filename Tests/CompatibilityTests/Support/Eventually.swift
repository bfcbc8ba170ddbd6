/// Waits up to ten seconds until the condition is true; false on timeout.
@MainActor
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
