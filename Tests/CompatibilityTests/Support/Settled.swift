/// Waits until what the main actor shows is as it should be; false when that takes more than ten seconds.
@MainActor
func settled(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
