import KingfisherWebP
import Testing

/// The registry belongs to the process: what adds WebP to it, and what must do without, runs one after
/// another.
@Suite(.serialized) struct RegistryTests {}

/// Adds WebP to the registry for the time of each test.
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
