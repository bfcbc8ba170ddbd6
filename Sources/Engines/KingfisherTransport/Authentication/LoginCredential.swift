package import Foundation

package struct LoginCredential: Hashable, Sendable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The percent-decoded credential in a URL; nil if the URL has no user name.
    init?(of url: URL) {
        guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
        self.init(user: user, password: url.password(percentEncoded: false) ?? "")
    }
}

extension URL {
    /// Parts with user name or password; nil if there are none.
    private var partsWithUserInfo: URLComponents? {
        // Check for the "@" first: parsing a URL costs more than the rest of a small request.
        var text = relativeString
        guard text.withUTF8({ $0.contains(UInt8(ascii: "@")) }) || baseURL != nil,
            let parts = URLComponents(url: self, resolvingAgainstBaseURL: true),
            parts.user != nil || parts.password != nil
        else { return nil }
        return parts
    }

    package var hasUserInfo: Bool { partsWithUserInfo != nil }

    /// The URL without user name and password, which only the origin they were written for may see. For
    /// requests; messages show ``redacted``.
    package var withoutUserInfo: URL {
        guard var parts = partsWithUserInfo else { return self }
        (parts.user, parts.password) = (nil, nil)
        return parts.url ?? self
    }

    /// The URL for events, without anything that a parser may read as user name and password.
    package var redacted: URL {
        let (text, clean) = (absoluteString, absoluteString.withoutUserInfo)
        return clean == text ? self : URL(string: clean) ?? URL(filePath: "/")
    }

    /// The redacted URL, for logs: without user name, password, query and fragment.
    package var withoutSecrets: URL {
        let name = absoluteString.withoutUserInfo.prefix { $0 != "?" && $0 != "#" }
        return URL(string: String(name)) ?? URL(filePath: "/")
    }
}
