import Foundation

// Replaced by the rules of sources.
extension ServiceSourceRules {
    func source(named text: String) throws(ServiceError) -> ServiceSource {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let url = URL(string: text) else {
            throw ServiceError(400, "The source is not a URL.")
        }
        let rest = parts[1]
        switch parts[0] {
        case "http", "https":
            return .http(url)
        case "local" where allowsFolder:
            return .local(path: String(rest.drop { $0 == "/" }))
        case "s3":
            let (bucket, key) = (rest.prefix { $0 != "/" }, rest.drop { $0 != "/" }.dropFirst())
            guard buckets.contains(String(bucket)) else { break }
            return .s3(bucket: String(bucket), key: String(key), versionID: nil)
        default:
            break
        }
        throw ServiceError(403, "The source is not allowed.")
    }
}
