/// The rules of `Cache-Control` (RFC 9111, RFC 5861 and RFC 8246).
struct CacheControl {
    let settings: ServiceResponseSettings
    let context: ServiceResponseContext

    private static let interimLifetime = 30
    private static let errorLifetime = 10
    private static let cachedErrors: Set = [404, 410, 422]

    func value(of result: ServiceResult) -> String {
        // A response to POST is for its client only.
        guard context.request?.source != .upload else { return "no-store" }
        let wanted = lifetime(of: result)
        let lifetime = min(wanted, remaining)
        var directives = ["public", "max-age=\(lifetime)"]
        guard result.kind == .final else { return directives.joined(separator: ", ") }
        // A stale response must not be used after its URL has expired.
        let stale = [
            ("stale-while-revalidate", settings.staleWhileRevalidate),
            ("stale-if-error", settings.staleIfError),
        ]
        for (name, seconds) in stale {
            let seconds = min(seconds, remaining - lifetime)
            if seconds > 0 { directives.append("\(name)=\(seconds)") }
        }
        if context.request?.options.version != nil { directives.append("immutable") }
        return directives.joined(separator: ", ")
    }

    func value(ofError status: Int) -> String {
        Self.cachedErrors.contains(status) ? "max-age=\(min(Self.errorLifetime, remaining))" : "no-store"
    }

    private func lifetime(of result: ServiceResult) -> Int {
        let byDefault =
            switch settings.lifetime {
            case .seconds(let seconds): seconds
            case .source: result.sourceLifetime ?? settings.sourceDefaultLifetime
            }
        let usual = context.request?.options.maximumAge ?? byDefault
        let lifetime =
            switch result.kind {
            case .final: usual
            case .interim: min(usual, Self.interimLifetime)
            case .fallback: settings.fallbackLifetime
            }
        return max(lifetime, 0)
    }

    /// The seconds until the URL expires.
    private var remaining: Int {
        guard let expires = context.request?.options.expires else { return .max }
        let (seconds, overflows) = expires.subtractingReportingOverflow(context.now)
        // Overflow means that one of the two is negative, and the other one has the result's sign.
        return overflows ? (expires < 0 ? 0 : .max) : max(seconds, 0)
    }
}
