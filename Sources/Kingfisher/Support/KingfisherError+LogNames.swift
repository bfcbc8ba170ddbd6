import Foundation
import FoundationNetworking
import Glibc
import KingfisherTransport

extension URL? {
    /// How errors name a URL: without what may be a secret, and cut where it holds the data itself.
    var logName: String {
        guard let url = self else { return "no URL" }
        let (name, limit) = (url.withoutSecrets.absoluteString, 256)
        return name.count > limit ? "\(name.prefix(limit))…" : name
    }
}

extension Source {
    /// How errors name the source: where it is loaded from, or the key that its provider has for it.
    var logName: String {
        switch self {
        case .network(let resource): URL?(resource.downloadURL).logName
        case .provider(let provider): provider.logName
        }
    }
}

extension ImageDataProvider {
    /// How errors name what is provided: the file, where it is one.
    var logName: String {
        if let contentURL, contentURL.isFileURL { return contentURL.path(percentEncoded: false) }
        return "\"\(cacheKey.withoutUserInfo)\""
    }
}

extension Error {
    /// Why a transfer failed, after what was asked for.
    var transferMessage: String {
        guard let error = self as? URLError, let url = error.failingURL else { return localizedDescription }
        let hint = "; .provider(LocalFileImageDataProvider(fileURL:)) reads files"
        return "\(URL?(url).logName): \(error.localizedDescription)" + (url.isFileURL ? hint : "")
    }

    /// The system's own word for the failure, where there is one: Foundation's errors that stand over it name
    /// at best a code.
    var systemMessage: String {
        guard let cause = (self as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? any Error,
            (cause as NSError).domain == NSPOSIXErrorDomain
        else { return localizedDescription }
        return String(cString: strerror(CInt(truncatingIfNeeded: (cause as NSError).code)))
    }
}
