import TestHelpers
import Testing

extension Inbox {
    /// The only value. Returns after a second one, if there were one, would have been delivered.
    func only(at location: SourceLocation = #_sourceLocation) async throws -> Value {
        let value = try await first()
        await passMainQueue()
        #expect(count == 1, sourceLocation: location)
        return value
    }
}
