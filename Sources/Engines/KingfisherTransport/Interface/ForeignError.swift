import Foundation

/// An error that was not created by the transport, such as one that a custom `URLProtocol` reports.
///
/// Two errors are equal if their domains and codes are.
public struct ForeignError: Sendable, Hashable {
    /// The original error.
    public let error: any Error

    public init(_ error: any Error) {
        self.error = error
    }

    public static func == (first: ForeignError, second: ForeignError) -> Bool {
        first.domain == second.domain && first.code == second.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(domain)
        hasher.combine(code)
    }

    private var domain: String { (error as NSError).domain }
    private var code: Int { (error as NSError).code }
}
