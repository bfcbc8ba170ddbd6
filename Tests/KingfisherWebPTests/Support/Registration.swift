import KingfisherWebP
import Testing

/// The registry is process-wide: tests that add WebP to it, and tests that need it without WebP, run
/// serially.
@Suite(.serialized) struct RegistryTests {}

/// Registers WebP for the duration of each test.
struct WebPRegistration: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        ImageCodecs.register(.webP)
        defer { ImageCodecs.unregister(.webP) }
        try await function()
    }
}

extension Trait where Self == WebPRegistration {
    static var webPRegistered: Self { Self() }
}
