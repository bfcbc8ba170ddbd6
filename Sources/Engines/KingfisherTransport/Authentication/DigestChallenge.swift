/// A `Digest` challenge that the library can respond to (RFC 7616, 3.3).
package struct DigestChallenge: Hashable, Sendable {
    enum Algorithm: String, Hashable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        init?(name: String) {
            let known: [Self] = [.md5, .md5Session, .sha256, .sha256Session]
            guard let match = known.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
                return nil
            }
            self = match
        }

        var isSession: Bool { self == .md5Session || self == .sha256Session }

        var isSHA256: Bool { self == .sha256 || self == .sha256Session }
    }

    let realm: String
    let nonce: String
    let opaque: String?
    /// Nil if the server named none; this means MD5, and the response then names none, either.
    let namedAlgorithm: Algorithm?
    /// Whether the response contains `qop=auth`; otherwise it has the older form of RFC 2069.
    let hasQuality: Bool
    let hashesUserName: Bool
    /// Whether the nonce has expired while the password was right.
    let isStale: Bool
    /// The URIs that the credential is valid for; empty means the whole server.
    let domain: [String]

    var algorithm: Algorithm { namedAlgorithm ?? .md5 }

    /// Returns nil if a required parameter is missing, or if only unknown algorithms or `auth-int` are
    /// offered.
    init?(_ offer: OfferedChallenge) {
        let parameters = offer.parameters
        guard offer.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"]
        else {
            return nil
        }
        if let name = parameters["algorithm"] {
            guard let algorithm = Algorithm(name: name) else { return nil }
            namedAlgorithm = algorithm
        } else {
            namedAlgorithm = nil
        }
        if let list = parameters["qop"] {
            let qualities = list.lowercased().split(separator: ",").map {
                $0.filter { $0 != " " && $0 != "\t" }
            }
            guard qualities.contains("auth") else { return nil }
            hasQuality = true
        } else {
            hasQuality = false
        }
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        hashesUserName = parameters["userhash"]?.lowercased() == "true"
        isStale = parameters["stale"]?.lowercased() == "true"
        domain = (parameters["domain"] ?? "").split(separator: " ").map(String.init)
    }
}
