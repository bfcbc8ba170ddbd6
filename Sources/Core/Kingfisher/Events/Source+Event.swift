import Foundation
import KingfisherTransport

extension Source {
    var eventName: String {
        switch self {
        case .network(let resource): resource.downloadURL.redacted.absoluteString
        case .provider(let provider): provider.cacheKey.withoutUserInfo
        }
    }
}

extension KingfisherEvent {
    static func end(
        of source: Source, _ outcome: Result<RetrieveImageResult, KingfisherError>, duration: TimeInterval
    ) -> KingfisherEvent {
        let name = source.eventName
        return switch outcome {
        case .success(let result):
            .requestFinished(source: name, cacheType: result.cacheType, duration: duration)
        case .failure(let error) where error.isUserCancellation:
            .requestCancelled(source: name, duration: duration)
        case .failure(let error): .requestFailed(source: name, error: error, duration: duration)
        }
    }
}

extension KingfisherError {
    /// The name of the reason. Not `errorDescription`, which may contain text that must not be in events.
    var summary: String {
        switch self {
        case .responseError(.URLSessionError(let error as URLError)): "\(reasonName) \(error.code.rawValue)"
        case .responseError(.invalidHTTPStatusCode(let response)): "\(reasonName) \(response.statusCode)"
        default: reasonName
        }
    }
}

extension ContinuousClock.Instant {
    var secondsAgo: TimeInterval { (ContinuousClock.now - self).seconds }
}
