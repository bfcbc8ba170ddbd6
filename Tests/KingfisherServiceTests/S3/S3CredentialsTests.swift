import Testing

@testable import KingfisherService

struct S3CredentialsTests {
    @Test func `A file has keys, comments and sections`() throws {
        let file = """
            # comment = x
            [other]
            aws_access_key_id = B
            aws_secret_access_key = no
            [default]\r
             aws_access_key_id=A\t
            AWS_SECRET_ACCESS_KEY = s/+=
            ; aws_session_token = no
            aws_session_token = t
            region = eu-central-1
            """
        let credentials = try #require(S3Credentials(file: file))
        #expect(credentials == S3Credentials(accessKey: "A", secretKey: "s/+=", sessionToken: "t"))
        #expect(S3Credentials(file: file, profile: "other")?.accessKey == "B")
        #expect(S3Credentials(file: file, profile: "none") == nil)
        let plain = "aws_access_key_id = A\naws_secret_access_key = S"
        #expect(S3Credentials(file: plain) == S3Credentials(accessKey: "A", secretKey: "S"))
    }

    @Test func `An environment has keys, and an empty token counts as none`() {
        var environment = ["AWS_ACCESS_KEY_ID": "A"]
        #expect(S3Credentials(environment: environment) == nil)
        environment["AWS_SECRET_ACCESS_KEY"] = "S"
        environment["AWS_SESSION_TOKEN"] = ""
        #expect(S3Credentials(environment: environment) == S3Credentials(accessKey: "A", secretKey: "S"))
    }

    @Test(
        arguments: [
            ("", "S", String?.none), ("A", "", nil), ("A", "S", ""), ("A\r\nX: 1", "S", nil),
            ("A", "S S", nil),
            ("A", "S", "t\nX: 1"), ("é", "S", nil),
        ])
    func `A text that no header field can have is refused`(
        _ accessKey: String, _ secretKey: String, _ token: String?
    ) {
        #expect(S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token) == nil)
    }

    @Test func `A description has no secret`() throws {
        let credentials = try #require(
            S3Credentials(accessKey: "AKIDEXAMPLE", secretKey: "verysecret", sessionToken: "verytoken"))
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("very") && !text.contains("EXAMPLE"), "\(text)")
        }
    }
}
