import Foundation
import FoundationNetworking
import KingfisherTransport

extension ImageDownloader {
    func answer(
        _ question: AuthenticationQuestion, for task: URLSessionTask,
        _ completion: @escaping @Sendable (AuthenticationDecision) -> Void
    ) {
        KingfisherEvents.report(
            .credentialDemanded(
                url: question.response.url ?? URL(filePath: "/"), realm: question.method.realm))
        guard let responder = authenticationChallengeResponder else { return completion(.standard) }
        nonisolated(unsafe) let asked = responder  // callable from any thread, as its protocol demands
        Task {
            let (disposition, credential) = await asked.downloader(
                self, task: task, didReceive: URLAuthenticationChallenge(question))
            completion(AuthenticationDecision(disposition, credential))
        }
    }
}

extension AuthenticationDecision {
    fileprivate init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        switch disposition {
        case .useCredential:
            // As URLSession does: without a credential the request continues unauthenticated.
            guard let user = credential?.user else {
                self = .refuse
                return
            }
            self = .use(
                LoginCredential(user: user, password: credential?.password ?? ""),
                isKept: credential?.persistence != URLCredential.Persistence.none)
        case .cancelAuthenticationChallenge: self = .cancel
        case .rejectProtectionSpace: self = .refuse
        default: self = .standard
        }
    }
}

extension URLAuthenticationChallenge {
    fileprivate convenience init(_ question: AuthenticationQuestion) {
        let space = URLProtectionSpace(
            host: question.origin.host, port: question.origin.port, protocol: question.origin.scheme,
            realm: question.method.realm,
            authenticationMethod: question.method.isDigest
                ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic)
        self.init(
            protectionSpace: space,
            proposedCredential: question.proposed.map {
                URLCredential(user: $0.user, password: $0.password, persistence: .forSession)
            },
            previousFailureCount: question.failures, failureResponse: question.response.httpURLResponse,
            error: nil,
            sender: NullChallengeSender())
    }
}

/// A challenge requires a sender. The answer is a return value, so the sender does nothing.
private final class NullChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
