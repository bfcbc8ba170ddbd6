import Testing

@testable import Kingfisher

/// The response of a server for a file of 1,000 bytes.
@Suite struct CachedFileResponseTests {
    private func response(
        range: String? = nil, ifRange: String? = nil, ifNoneMatch: String? = nil, tag: String? = "\"a-1\""
    ) -> CachedFileResponse {
        CachedFileResponse(
            byteCount: 1_000, entityTag: tag, mediaType: "image/png",
            conditions: .init(range: range, ifRange: ifRange, ifNoneMatch: ifNoneMatch))
    }

    @Test("Without conditions the response is the whole file") func whole() {
        let headers = ["Accept-Ranges": "bytes", "Content-Type": "image/png", "ETag": "\"a-1\""]
        #expect(response() == CachedFileResponse(status: 200, headers: headers, range: 0..<1_000))
        #expect(response(tag: nil).headers["ETag"] == nil)
    }

    @Test(
        "One range of bytes is sent as 206",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-499", 0..<500), ("bytes=500-", 500..<1_000),
            ("bytes=999-", 999..<1_000), ("bytes=-1", 999..<1_000), ("bytes=-5000", 0..<1_000),
            ("bytes=10-99999999999999999999", 10..<1_000), (" BYTES = 1-2 ", 1..<3),
        ])
    func ranges(header: String, range: Range<Int>) {
        let response = response(range: header)
        #expect(response.status == 206 && response.range == range)
        #expect(
            response.headers["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/1000")
        #expect(response.headers["Content-Type"] == "image/png")
    }

    @Test(
        "A range beyond the file gives 416",
        arguments: ["bytes=1000-", "bytes=1000-2000", "bytes=-0", "bytes=99999999999999999999-"])
    func unsatisfiable(header: String) {
        let response = response(range: header)
        #expect(response.status == 416 && response.range.isEmpty)
        #expect(response.headers["Content-Range"] == "bytes */1000")
        #expect(response.headers["Content-Type"] == nil)
    }

    @Test(
        "A malformed range, several ranges and other units give the whole file",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1-b", "bytes=+1-2",
            "bytes=1 - 2", "bytes=--1", "bytes=1-2-3", "bytes=0-1,4-5", "pages=1-2", "bytes=0x1-2",
        ])
    func ignored(header: String) {
        #expect(response(range: header) == response(), "\(header)")
    }

    @Test(
        "A matching If-None-Match gives 304 without a body, with or without a range",
        arguments: ["*", "\"a-1\"", "W/\"a-1\"", "\"x\", \"a-1\"", "\"x\",W/\"a-1\" , \"y\""])
    func notModified(header: String) {
        let response = response(range: "bytes=0-1", ifNoneMatch: header)
        #expect(response.status == 304 && response.range.isEmpty)
        #expect(response.headers == ["Accept-Ranges": "bytes", "ETag": "\"a-1\""])
    }

    @Test(
        "Other tags, and a file without a tag, give the file",
        arguments: ["\"b\"", "a-1", "", "w/\"a-1\"", "\"b\", *"])
    func modified(header: String) {
        #expect(response(ifNoneMatch: header) == response())
        #expect(response(ifNoneMatch: header, tag: nil) == response(tag: nil))
    }

    @Test("If-None-Match with a star gives 304 for a file without a tag") func star() {
        let response = response(ifNoneMatch: "*", tag: nil)
        #expect(response.status == 304 && response.headers["ETag"] == nil)
    }

    @Test("The length of the body is stated, except with 304") func contentLength() {
        #expect(response().contentLength == 1_000)
        #expect(response(range: "bytes=0-9").contentLength == 10)
        #expect(response(range: "bytes=1000-").contentLength == 0)
        #expect(response(ifNoneMatch: "*").contentLength == nil)
    }

    @Test("If-Range allows the range with the same strong tag only") func ifRange() {
        let range = "bytes=0-1"
        #expect(response(range: range, ifRange: "\"a-1\"").status == 206)
        for other in ["\"b\"", "W/\"a-1\"", "Wed, 21 Oct 2015 07:28:00 GMT", ""] {
            #expect(response(range: range, ifRange: other).status == 200)
            #expect(response(range: "bytes=5000-", ifRange: other).status == 200)
        }
        #expect(response(range: range, ifRange: "\"a-1\"", tag: nil).status == 200)
    }
}
