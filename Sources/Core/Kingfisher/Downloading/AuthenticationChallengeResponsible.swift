import Foundation
public import FoundationNetworking

/// Answers servers that demand a user name and a password, by `Basic` (RFC 7617) or `Digest` (RFC 7616).
///
///     final class PhotoLogin: AuthenticationChallengeResponsible {
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
/// The download waits for the answer, within its total timeout. Each disposition has this effect:
///
/// - `.useCredential` sends the request again, only to the origin that sent the challenge. An accepted
///   credential is reused without a further question for the lifetime of the downloader, unless its
///   persistence is `.none` or ``ImageDownloader/remembersCredentials`` is false. A rejected one is removed,
///   and the responder is asked again with a higher `previousFailureCount`.
/// - `.performDefaultHandling` uses the user name and password of the URL, once. If the URL has none, the
///   download fails with the 401 (`invalidHTTPStatusCode`).
/// - `.rejectProtectionSpace` fails the download with the 401.
/// - `.cancelAuthenticationChallenge` fails the download with `URLError.cancelled`.
///
/// Server certificates are not passed to the responder: Foundation's server trust types do not exist on
/// Linux. The responder is called from any thread and must be thread-safe. It is held weakly.
public protocol AuthenticationChallengeResponsible: AnyObject {
    /// Returns the answer to a challenge. Called by the default implementation of the method that takes a
    /// task.
    func downloader(
        _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Returns the answer to the challenge of a task. The default calls the method without a task.
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

    /// Calls the method without a task.
    public func downloader(
        _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        await self.downloader(downloader, didReceive: challenge)
    }
}

/// The older spelling of ``AuthenticationChallengeResponsible``.
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

extension ImageDownloader: AuthenticationChallengeResponsible {}
