import Foundation

/// A cookie as a server sets it for a URL (RFC 6265, 5.2 and 5.3): text in, decision out.
///
/// Foundation's parser on Linux is not used: it ignores `Max-Age`, takes "/" for every path that is not
/// named, truncates quoted values and accepts a cookie for all of ".com".
struct CookieSetting: Equatable {
    static let maxPairBytes = 4_096
    static let maxAttributeBytes = 1_024
    static let maxPerResponse = 50

    let name: String
    let value: String
    /// With a leading dot if subdomains also get the cookie.
    let domain: String
    let path: String
    /// Nil for a session cookie; a date in the past deletes the cookie.
    let expires: Date?
    let isSecure: Bool

    /// The maximum lifetime of a cookie (RFC 6265bis, 5.5).
    static let maxLifetime: TimeInterval = 400 * 86_400

    static func read(_ lines: [some StringProtocol], from url: URL, at now: Date) -> [CookieSetting] {
        lines.prefix(maxPerResponse).compactMap { CookieSetting($0, from: url, at: now) }
    }

    /// Splits joined lines: a comma starts a new line if a name and an equals sign follow. Dates also contain
    /// commas, but no equals sign before the next semicolon.
    static func lines(_ field: String) -> [Substring] {
        var lines: [Substring] = []
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let begins =
                name.endIndex < part.endIndex && part[name.endIndex] == "="
                && RequestFields.isToken(name.trimmingCharacters(in: .whitespaces))
            if begins || lines.isEmpty {
                lines.append(part)
            } else if let last = lines.popLast() {
                lines.append(field[last.startIndex..<part.endIndex])
            }
        }
        return lines
    }

    init?(_ line: some StringProtocol, from url: URL, at now: Date) {
        guard !line.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }), let origin = Origin(url) else {
            return nil
        }
        let parts = line.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, pair.utf8.count <= Self.maxPairBytes,
            let sign = pair.firstIndex(of: "=")
        else {
            return nil
        }
        name = pair[..<sign].trimmingCharacters(in: .whitespaces)
        value = pair[pair.index(after: sign)...].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else { return nil }
        let attributes = Attributes(parts.dropFirst(), at: now)
        expires = (attributes.maxAge ?? attributes.expires).map { min($0, now + Self.maxLifetime) }
        isSecure = attributes.isSecure
        path = attributes.path ?? Self.defaultPath(of: url)
        guard let domain = Self.domain(attributes.domain, of: origin.host) else { return nil }
        self.domain = domain
        // An attacker on an http connection must not set a cookie for https (RFC 6265bis, 5.7), or one whose
        // name claims that it was set there.
        let isFromSecure = origin.scheme == "https"
        if isSecure, !isFromSecure { return nil }
        if name.lowercased().hasPrefix("__secure-"), !isSecure { return nil }
        if name.lowercased().hasPrefix("__host-") {
            guard isSecure, attributes.domain == nil, path == "/" else { return nil }
        }
    }

    /// RFC 6265, 5.1.4: the folder of the request.
    static func defaultPath(of url: URL) -> String {
        let path = url.requestTarget.prefix { $0 != "?" }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// RFC 6265, 5.3, 4 to 6; nil refuses the cookie. There is no list of public suffixes: a domain that
    /// looks like one ("co.uk") restricts the cookie to its host.
    static func domain(_ attribute: String?, of host: String) -> String? {
        guard let attribute, attribute != host else {
            return attribute == nil || !host.contains(".") || isNumeric(host) || isLikeSuffix(host)
                ? host : "." + host
        }
        guard host.hasSuffix("." + attribute), !isNumeric(host), attribute.contains(".") else { return nil }
        return isLikeSuffix(attribute) ? host : "." + attribute
    }

    private static func isNumeric(_ host: String) -> Bool { Endpoint(host: host, port: 0).isNumeric }

    static func isLikeSuffix(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 2 && labels[1].count == 2 && labels[0].count <= 3
    }

    private struct Attributes {
        var domain: String?
        var path: String?
        var expires: Date?
        var maxAge: Date?
        var isSecure = false

        /// The last attribute of each kind counts. Attributes that are too long or unknown are ignored.
        init(_ parts: ArraySlice<some StringProtocol>, at now: Date) {
            for part in parts where part.utf8.count <= maxAttributeBytes {
                let sign = part.firstIndex(of: "=") ?? part.endIndex
                let name = part[..<sign].trimmingCharacters(in: .whitespaces).lowercased()
                let text = part[sign...].dropFirst().trimmingCharacters(in: .whitespaces)
                switch name {
                case "secure": isSecure = true
                case "path": path = text.hasPrefix("/") ? text : nil
                case "expires": expires = CookieDate.read(text) ?? expires
                case "max-age": maxAge = Self.date(afterSeconds: text, now) ?? maxAge
                case "domain":
                    let bare = text.hasPrefix(".") ? String(text.dropFirst()) : text
                    if !bare.isEmpty { domain = bare.lowercased() }
                default: break
                }
            }
        }

        private static func date(afterSeconds text: String, _ now: Date) -> Date? {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            return text.hasPrefix("-") ? .distantPast : now + (TimeInterval(digits) ?? maxLifetime)
        }
    }
}

extension TransportResponse {
    /// The values of `Set-Cookie`, one per line. If joined by commas, a value with a comma would look like
    /// two cookies (RFC 9110, 5.3). Values that Foundation has joined are split, as far as the separators can
    /// be identified.
    var cookieLines: [String] {
        fields?.values(for: "Set-Cookie").map(HeaderFields.text)
            ?? value(forField: "Set-Cookie").map { CookieSetting.lines($0).map(String.init) } ?? []
    }
}
