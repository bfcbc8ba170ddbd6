import Foundation
import FoundationNetworking
import Glibc
import KingfisherTransport

extension URL? {
    /// The redacted URL for error messages, shortened, because a data URL contains the image.
    var logName: String {
        guard let url = self else { return "no URL" }
        let (name, limit) = (url.withoutSecrets.absoluteString, 256)
        return name.count > limit ? "\(name.prefix(limit))…" : name
    }
}

extension Source {
    var logName: String {
        switch self {
        case .network(let resource): URL?(resource.downloadURL).logName
        case .provider(let provider): provider.logName
        }
    }
}

extension ImageDataProvider {
    var logName: String {
        if let contentURL, contentURL.isFileURL { return contentURL.path(percentEncoded: false) }
        return "\"\(cacheKey.withoutUserInfo)\""
    }
}

extension Error {
    var transferMessage: String {
        guard let error = self as? URLError, let url = error.failingURL else { return localizedDescription }
        let hint = "; .provider(LocalFileImageDataProvider(fileURL:)) reads files"
        return "\(URL?(url).logName): \(error.localizedDescription)" + (url.isFileURL ? hint : "")
    }

    /// The system's message for the underlying `errno`, if there is one, because Foundation's errors contain
    /// only the code.
    var systemMessage: String {
        guard let cause = (self as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? any Error,
            (cause as NSError).domain == NSPOSIXErrorDomain
        else { return localizedDescription }
        return String(cString: strerror(CInt(truncatingIfNeeded: (cause as NSError).code)))
    }
}
