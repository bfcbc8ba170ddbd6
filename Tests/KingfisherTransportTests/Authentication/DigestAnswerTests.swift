import Foundation
import Testing

@testable import KingfisherTransport

@Suite struct DigestAnswerTests {
    private func challenge(_ field: String) throws -> DigestChallenge {
        try #require(ChallengeReader.read(field).first.flatMap { DigestChallenge($0) })
    }

    /// The request of RFC 7616, 3.9.1.
    private func answer(_ algorithm: String, count: UInt32 = 1) throws -> DigestAnswer {
        let field = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", \(algorithm)\
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        return DigestAnswer(
            challenge: try challenge(field),
            credential: LoginCredential(user: "Mufasa", password: "Circle of Life"), method: "GET",
            target: "/dir/index.html", clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            count: count)
    }

    @Test("The response with MD5 is that of RFC 7616, 3.9.1")
    func md5() throws {
        #expect(try answer("algorithm=MD5, ").response == "8ca523f5e9506fed4657c9700eebdbec")
        #expect(try answer("").response == "8ca523f5e9506fed4657c9700eebdbec")
    }

    @Test("The field with SHA-256 is that of RFC 7616, 3.9.1")
    func sha256() throws {
        #expect(
            try answer("algorithm=SHA-256, ").fieldValue == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
                algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, \
                response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    /// The expected values are computed with Python's hashlib.
    @Test func sessionAlgorithms() throws {
        #expect(try answer("algorithm=MD5-sess, ", count: 10).response == "48e6908908a125e4c864052b1b4373d8")
        #expect(
            try answer("algorithm=sha-256-SESS, ", count: 10).response
                == "748317db84c65271b7674b657f77b6d9e80249588df09466740f18f44e8d43d2")
        #expect(try answer("algorithm=MD5-sess, ", count: 10).fieldValue.contains("nc=0000000a"))
    }

    @Test("The responses with and without qop are those of RFC 2617, 3.5 and RFC 2069")
    func olderForms() throws {
        func answer(_ quality: String) throws -> DigestAnswer {
            DigestAnswer(
                challenge: try challenge(
                    #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
                        + quality),
                credential: LoginCredential(user: "Mufasa", password: "Circle Of Life"), method: "GET",
                target: "/dir/index.html", clientNonce: "0a4f113b", count: 1)
        }
        #expect(try answer(#", qop="auth""#).response == "6629fae49393a05397450978507c4ef1")
        let old = try answer("")
        #expect(old.response == "670fd8c2df070c60b045671b8b24ff02")
        #expect(!old.fieldValue.contains("qop") && !old.fieldValue.contains("cnonce"))
    }

    /// The names of RFC 7616, 3.9.2, with SHA-256 instead of SHA-512/256; computed with Python's hashlib.
    @Test func nonASCIINames() throws {
        func answer(_ hashed: String) throws -> DigestAnswer {
            DigestAnswer(
                challenge: try challenge(
                    """
                    Digest realm="api@example.org", qop="auth", algorithm=SHA-256, \
                    nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", charset=UTF-8, userhash=\(hashed)
                    """),
                credential: LoginCredential(user: "Jäsøn Doe", password: "Secret, or not?"), method: "GET",
                target: "/doe.json", clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm", count: 1)
        }
        let hashed = try answer("true").fieldValue
        #expect(
            hashed.contains(#"username="5a1a8a47df5c298551b9b42ba9b05835174a5bd7d511ff7fe9191d8e946fc4e7""#))
        #expect(
            hashed.contains(#"response="06d0c14162099f487a92ebceaf71097534ee5f90d858386449c337ab69f7f6b8""#))
        #expect(hashed.hasSuffix("userhash=true"))
        // RFC 7616, 3.4, with the encoding of RFC 8187.
        let plain = try answer("false").fieldValue
        #expect(plain.hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, "))
        #expect(
            plain.contains(#"response="06d0c14162099f487a92ebceaf71097534ee5f90d858386449c337ab69f7f6b8""#))
    }

    @Test func quotesAndBackslashesAreEscaped() throws {
        let answer = DigestAnswer(
            challenge: try challenge(#"Digest realm="a \"b\" \\", nonce="n", qop=auth"#),
            credential: LoginCredential(user: #"x"y\"#, password: ""), method: "GET", target: "/",
            clientNonce: "c",
            count: 1)
        #expect(answer.fieldValue.hasPrefix(#"Digest username="x\"y\\", realm="a \"b\" \\", "#))
        // A combining mark and the quote form one character, but the quote's byte must be escaped.
        let marked = OfferedChallenge(scheme: "digest", parameters: ["realm": "a\"\u{301}b", "nonce": "n"])
        let combined = DigestAnswer(
            challenge: try #require(DigestChallenge(marked)),
            credential: LoginCredential(user: "u", password: ""), method: "GET", target: "/",
            clientNonce: "c", count: 1)
        let bytes = "realm=\"a\\\"\u{301}b\"".utf8
        #expect(
            combined.fieldValue.utf8.split(separator: 44).contains { $0.dropFirst().elementsEqual(bytes) })
        let control = DigestAnswer(
            challenge: answer.challenge, credential: LoginCredential(user: "a\r\nX: b", password: ""),
            method: "GET",
            target: "/", clientNonce: "c", count: 1)
        #expect(!control.fieldValue.contains { $0.isNewline })
    }

    @Test(arguments: [
        ("http://a.test", "/"), ("http://a.test?x=1", "/?x=1"),
        ("http://a.test/a%20b?c=%2F#f", "/a%20b?c=%2F"),
        ("http://a.test/a/../b", "/a/../b"), ("http://a.test/x/", "/x/"),
    ])
    func requestTargets(_ url: String, target: String) throws {
        #expect(try #require(URL(string: url)).requestTarget == target)
    }
}
