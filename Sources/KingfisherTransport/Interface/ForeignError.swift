import Foundation

/// An error that is not the transport's own, such as one that a `URLProtocol` of the user's reports.
///
/// Two are equal when domain and code are.
public struct ForeignError: Sendable, Hashable {
    /// The error as it was reported.
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
