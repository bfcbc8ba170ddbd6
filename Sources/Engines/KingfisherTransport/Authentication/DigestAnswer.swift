import KingfisherDigests

/// The response to a `Digest` challenge, for the `Authorization` field (RFC 7616, 3.4).
struct DigestAnswer {
    let challenge: DigestChallenge
    let credential: LoginCredential
    let method: String
    let target: String
    let clientNonce: String
    /// How often the nonce was used, including this use.
    let count: UInt32

    var fieldValue: String {
        var parts = [userName, "realm=\(quoted(challenge.realm))", "uri=\(quoted(target))"]
        if let algorithm = challenge.namedAlgorithm { parts.append("algorithm=\(algorithm.rawValue)") }
        parts.append("nonce=\(quoted(challenge.nonce))")
        if challenge.hasQuality {
            parts += ["nc=\(countDigits)", "cnonce=\(quoted(clientNonce))", "qop=auth"]
        } else if challenge.algorithm.isSession {
            parts.append("cnonce=\(quoted(clientNonce))")
        }
        parts.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parts.append("opaque=\(quoted(opaque))") }
        if challenge.hashesUserName { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// RFC 7616, 3.4.1 to 3.4.3.
    var response: String {
        var secret = hash("\(credential.user):\(challenge.realm):\(credential.password)")
        if challenge.algorithm.isSession { secret = hash("\(secret):\(challenge.nonce):\(clientNonce)") }
        let subject = hash("\(method):\(target)")
        guard challenge.hasQuality else { return hash("\(secret):\(challenge.nonce):\(subject)") }
        return hash("\(secret):\(challenge.nonce):\(countDigits):\(clientNonce):auth:\(subject)")
    }

    /// RFC 7616, 3.4.4: hashed if the server requests it, and encoded (RFC 8187) if a quoted string cannot
    /// hold it.
    private var userName: String {
        if challenge.hashesUserName { return "username=\"\(hash("\(credential.user):\(challenge.realm)"))\"" }
        if credential.user.utf8.allSatisfy({ (32..<127).contains($0) }) {
            return "username=\(quoted(credential.user))"
        }
        let encoded = credential.user.utf8.map { byte in
            let isPlain =
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: "!#$&+-.^_`|~".utf8.contains(byte)
                }
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }
        return "username*=UTF-8''" + encoded.joined()
    }

    private var countDigits: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private func hash(_ text: String) -> String {
        challenge.algorithm.isSHA256 ? SHA256.hexDigest(of: text) : MD5.hexDigest(of: text)
    }

    /// Works on Unicode scalars: a quote with a combining mark is a different character, but its bytes would
    /// end the string.
    private func quoted(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
