package import Foundation

/// A user's name and password.
package struct LoginCredential: Hashable, Sendable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Name and password that stand in a URL, percent-decoded; nil where there is no name.
    init?(of url: URL) {
        guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
        self.init(user: user, password: url.password(percentEncoded: false) ?? "")
    }
}

extension URL {
    /// The URL without name and password, which are nobody's business but the origin's they were written for.
    package var withoutUserInfo: URL {
        // Looking for the sign first: taking a URL apart costs more than all the rest of a small request.
        guard relativeString.utf8.contains(UInt8(ascii: "@")) || baseURL != nil,
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: true),
            parts.user != nil || parts.password != nil
        else { return self }
        (parts.user, parts.password) = (nil, nil)
        return parts.url ?? self
    }

    /// The URL without name, password, query and fragment: what of it may stand in a log.
    package var withoutSecrets: URL {
        guard var parts = URLComponents(url: withoutUserInfo, resolvingAgainstBaseURL: true) else {
            return URL(filePath: "/")
        }
        (parts.percentEncodedQuery, parts.percentEncodedFragment) = (nil, nil)
        return parts.url ?? URL(filePath: "/")
    }
}
