import Testing

@testable import KingfisherService

struct S3FailureTests {
    private func error(_ status: Int, _ fields: [String: String] = [:], code: String? = nil) -> ServiceError {
        let body = code.map { "<?xml version=\"1.0\"?><Error><Code>\($0)</Code><Key>secret</Key></Error>" }
        return S3Failure.error(
            status: status, header: { fields[$0.lowercased()] }, body: body ?? "", region: "us-east-1")
    }

    @Test(
        arguments: [
            (301, "PermanentRedirect"), (307, "TemporaryRedirect"), (400, "AuthorizationHeaderMalformed"),
            (400, nil),
        ] as [(Int, String?)])
    func `A wrong region is named with the right one`(_ status: Int, _ code: String?) {
        let error = error(status, ["x-amz-bucket-region": "eu-west-1"], code: code)
        #expect(
            error
                == ServiceError(502, "The bucket is in the region eu-west-1, but s3-region is us-east-1."))
    }

    @Test func `The region of the body counts without a field`() {
        let error = S3Failure.error(
            status: 400, header: { _ in nil },
            body: "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>",
            region: "us-east-1")
        #expect(error.message == "The bucket is in the region eu-west-1, but s3-region is us-east-1.")
    }

    @Test(
        arguments: [
            [:], ["location": "https://e.com/"], ["x-amz-bucket-region": "us-east-1"],
            ["x-amz-bucket-region": "<script>"], ["x-amz-bucket-region": "a\r\nb"],
            ["x-amz-bucket-region": ""],
        ])
    func `Every redirect is refused`(_ fields: [String: String]) {
        for status in [300, 301, 302, 303, 307, 308] {
            #expect(
                error(status, fields) == ServiceError(502, "S3 redirected the request, which is refused."))
        }
    }

    @Test(
        arguments: [
            (403, "RequestTimeTooSkewed", 502, "S3 refused the request: the clock of this machine is wrong."),
            (403, "SignatureDoesNotMatch", 502, "S3 refused the signature: the secret key is wrong."),
            (403, "InvalidAccessKeyId", 502, "S3 does not know the access key."),
            (400, "ExpiredToken", 502, "The session token for S3 has expired."),
            (503, "SlowDown", 502, "S3 is throttling requests."),
            (403, "Other", 502, "S3 refused the request."), (403, nil, 502, "S3 refused the request."),
            (404, "NoSuchKey", 404, "There is no such image at the bucket."),
            (404, "NoSuchBucket", 404, "There is no such image at the bucket."),
            (404, nil, 404, "There is no such image at the bucket."),
            (410, nil, 404, "There is no such image at the bucket."),
            (500, "InternalError", 502, "S3 failed with the status 500."),
            (503, nil, 502, "S3 failed with the status 503."),
            (403, "x</Code><Code>SlowDown", 502, "S3 refused the request."),
        ] as [(Int, String?, Int, String)])
    func `A code is explained`(_ status: Int, _ code: String?, _ expected: Int, _ message: String) {
        #expect(
            error(status, ["x-amz-bucket-region": "us-east-1"], code: code) == ServiceError(expected, message)
        )
    }

    @Test(arguments: ["<Code>", "</Code><Code>", "<Code></Code>", "<Code>\u{0}</Code>", "<Code>SlowDown"])
    func `A malformed body counts as none`(_ body: String) {
        let error = S3Failure.error(status: 500, header: { _ in nil }, body: body, region: "us-east-1")
        #expect(error.message == "S3 failed with the status 500.")
    }

    @Test func `Only the beginning of a body is read`() {
        let body = String(repeating: " ", count: 5_000) + "<Code>SlowDown</Code>"
        let error = S3Failure.error(status: 500, header: { _ in nil }, body: body, region: "us-east-1")
        #expect(error.message == "S3 failed with the status 500.")
    }
}
