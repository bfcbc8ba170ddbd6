import Testing

@testable import KingfisherTransport

/// RFC 9110, 11.3 and 11.6.1.
@Suite struct ChallengeReaderTests {
    private func offer(_ scheme: String, _ parameters: [String: String] = [:], token68: String? = nil)
        -> OfferedChallenge
    {
        OfferedChallenge(scheme: scheme, token68: token68, parameters: parameters)
    }

    @Test func wellFormedFieldsAreRead() {
        let table: [(String, [OfferedChallenge])] = [
            ("", []),
            (" , ,, ", []),
            ("Basic", [offer("basic")]),
            (#"Basic realm="a b""#, [offer("basic", ["realm": "a b"])]),
            (#"BASIC REALM="x""#, [offer("basic", ["realm": "x"])]),
            ("Basic realm=token", [offer("basic", ["realm": "token"])]),
            (#"Basic realm = "x" , charset="UTF-8""#, [offer("basic", ["realm": "x", "charset": "UTF-8"])]),
            (#"Basic realm="a \"q\" \\ b""#, [offer("basic", ["realm": #"a "q" \ b"#])]),
            (#"Basic realm="Digest realm=\"no\", x""#, [offer("basic", ["realm": #"Digest realm="no", x"#])]),
            (#"Basic realm="größe""#, [offer("basic", ["realm": "größe"])]),
            ("Negotiate YWJj==", [offer("negotiate", token68: "YWJj==")]),
            (#"Negotiate, Basic realm="x""#, [offer("negotiate"), offer("basic", ["realm": "x"])]),
            (
                #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
                [
                    offer("newauth", ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
                    offer("basic", ["realm": "simple"]),
                ]
            ),
            (
                #"Digest realm="r", nonce="n", qop="auth,auth-int",Basic realm="x""#,
                [
                    offer("digest", ["realm": "r", "nonce": "n", "qop": "auth,auth-int"]),
                    offer("basic", ["realm": "x"]),
                ]
            ),
            // Empty list elements are allowed, also in front of a parameter.
            (#",Basic ,realm="x",,"#, [offer("basic", ["realm": "x"])]),
        ]
        for (field, offers) in table { #expect(ChallengeReader.read(field) == offers, "\(field)") }
    }

    @Test func malformedChallengeEndsTheField() {
        let basic = offer("basic", ["realm": "x"])
        let table: [(String, [OfferedChallenge])] = [
            (#"Basic realm="x"#, []),
            (#"Basic realm="x\"#, []),
            ("Basic realm=\"a\u{1}b\"", []),
            ("Basic realm=\"a\r\nb\"", []),
            (#"Basic realm="x" nonsense"#, []),
            (#"Basic realm="x", realm="y""#, []),
            (#"="x""#, []),
            (#"Basic realm="x", Digest realm="r", nonce="n"#, [basic]),
            (#"Basic realm="x", @"#, []),
            (#"Basic realm="x", Digest("#, [basic]),
            ("Basic realm=@", []),
        ]
        for (field, offers) in table { #expect(ChallengeReader.read(field) == offers, "\(field)") }
    }

    @Test func longFieldsAreLimited() {
        let many = Array(repeating: #"Basic realm="x""#, count: 100).joined(separator: ", ")
        #expect(ChallengeReader.read(many).count == ChallengeReader.maxChallenges)
        let wide = "Basic " + (0..<100).map { "a\($0)=1" }.joined(separator: ", ")
        #expect(ChallengeReader.read(wide).isEmpty)
        let long = #"Basic realm=""# + String(repeating: "x", count: ChallengeReader.maxBytes) + "\""
        #expect(ChallengeReader.read(long).isEmpty)
    }

    @Test func arbitraryFieldsAreRead() {
        var state: UInt64 = 1
        let alphabet = Array(#"Basic Digest realm="x",= \é;@"#.unicodeScalars)
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<24 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.append(alphabet[Int(state >> 33) % alphabet.count])
            }
            #expect(ChallengeReader.read(String(text)).count <= ChallengeReader.maxChallenges)
        }
    }

    @Test func strongestMethodIsChosen() {
        let (basic, md5) = (#"Basic realm="x""#, #"Digest realm="m", nonce="n", qop="auth""#)
        let sha = #"Digest realm="s", nonce="n", algorithm=SHA-256, qop="auth""#
        let table: [(String, realm: String?)] = [
            (basic, "x"),
            ("\(basic), \(md5)", "m"),
            ("\(md5), \(sha), \(basic)", "s"),
            ("\(sha), \(md5)", "s"),
            (#"Digest realm="u", nonce="n", algorithm=SHA-512-256, qop="auth", "# + basic, "x"),
            (#"Digest realm="u", nonce="n", qop="auth-int", "# + basic, "x"),
            (#"Digest realm="u", qop="auth", "# + basic, "x"),
            ("Negotiate, NTLM, Bearer realm=b", nil),
            ("Basic", ""),
        ]
        for (field, realm) in table {
            #expect(AuthenticationMethod.strongest(in: field)?.realm == realm, "\(field)")
        }
    }
}
