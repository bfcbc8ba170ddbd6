import Foundation
public import FoundationNetworking

/// Answers servers that demand a user's name and password, by `Basic` (RFC 7617) or `Digest` (RFC 7616).
///
///     final class Door: AuthenticationChallengeResponsible {
///         func downloader(
///             _ downloader: ImageDownloader, task: URLSessionTask,
///             didReceive challenge: URLAuthenticationChallenge
///         ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
///             guard challenge.protectionSpace.host == "photos.example", challenge.previousFailureCount == 0
///             else {
///                 return (.performDefaultHandling, nil)
///             }
///             return (.useCredential, URLCredential(user: "me", password: secret, persistence: .forSession))
///         }
///     }
///
/// The download waits for the answer, within its total time. `.useCredential` sends the request again, to the
/// origin that asked and no other; an accepted credential is used without asking for the rest of the
/// downloader's life, unless its persistence is `.none`. A refused one is forgotten, and the responder is
/// asked again with a higher `previousFailureCount`. `.performDefaultHandling` uses name and password of the
/// URL, once. Without them, and with `.rejectProtectionSpace`, the 401 is the answer
/// (`invalidHTTPStatusCode`). `.cancelAuthenticationChallenge` fails the download with `URLError.cancelled`.
///
/// Certificates are no matter for it: the types of Foundation's server trust do not exist on Linux. Called
/// from any thread, so a responder must be safe to call from any; it is held weakly.
public protocol AuthenticationChallengeResponsible: AnyObject {
    /// A server demands a credential. Asked by the default of the method that takes a task.
    func downloader(
        _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// A server demands a credential for a task. The default asks the method without one.
    func downloader(
        _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension AuthenticationChallengeResponsible {
    /// Performs the default handling.
    public func downloader(
        _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }

    /// Asks the method without a task.
    public func downloader(
        _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        await self.downloader(downloader, didReceive: challenge)
    }
}

/// The older spelling.
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

extension ImageDownloader: AuthenticationChallengeResponsible {}
