import Foundation
import FoundationNetworking
import Testing

@testable import KingfisherTransport

@Suite struct ResponseHeadTests {
    private let url = URL(filePath: "/")

    private func feed(_ lines: [[UInt8]], limit: Int = 10_000) -> (ResponseHead, [ResponseHead.Step]) {
        var head = ResponseHead(limit: limit)
        let steps = lines.map { line in (line + [13, 10]).withUnsafeBytes { head.append($0) } }
        return (head, steps)
    }

    private func feed(_ lines: String...) -> (ResponseHead, [ResponseHead.Step]) {
        feed(lines.map { Array($0.utf8) })
    }

    @Test func plainHeadIsParsed() {
        let (head, steps) = feed("HTTP/1.1 404 Not Found", "Content-Type: image/png", "X: a:b ", "")
        #expect(steps == [.incomplete, .incomplete, .incomplete, .complete(status: 404)])
        let response = head.response(url: url)
        #expect(response?.status == 404)
        #expect(response?.httpURLResponse?.statusCode == 404)
        #expect(response?.httpURLResponse?.mimeType == "image/png")
        #expect(head.fields.byName == ["Content-Type": "image/png", "X": "a:b"])
    }

    @Test func interimHeadsAreDiscarded() {
        let (head, steps) = feed("HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/2 200", "A: b", "")
        #expect(steps[2] == .incomplete && steps[5] == .complete(status: 200))
        #expect(head.fields.byName == ["A": "b"])
    }

    @Test func repeatedFieldsAreJoinedAndFoldedOnesUnfolded() {
        let (head, _) = feed(
            "HTTP/1.1 200", "Set-Cookie: a", "set-cookie: b", "Folded: one", "\t two ", "no colon",
            ": nameless", "")
        #expect(head.fields.byName == ["Set-Cookie": "a, b", "Folded": "one two"])
    }

    @Test(
        "Of repeated fields that are no lists, the first one counts",
        arguments: [
            "Location", "ETag", "Content-Type", "Retry-After", "Date", "Expires", "Content-Range",
            "Last-Modified", "Age", "Content-Location", "Content-Disposition", "Server",
        ])
    func repeatedSingleFields(_ name: String) throws {
        let (head, _) = feed(
            "HTTP/1.1 200", "\(name): 7", "Vary: a", "\(name.lowercased()): 7", " x", "vary: b", "")
        let response = try #require(head.response(url: url))
        #expect(response.value(forField: name) == "7")
        #expect(response.httpURLResponse?.value(forHTTPHeaderField: name) == "7")
        #expect(response.value(forField: "Vary") == "a, b")
    }

    @Test("Equal Content-Length fields are one value")
    func repeatedContentLength() throws {
        let (head, _) = feed("HTTP/1.1 200", "Content-Length: 7", "content-length: 7", "")
        let response = try #require(head.response(url: url))
        #expect(response.value(forField: "Content-Length") == "7" && response.announcedBodyBytes == 7)
    }

    @Test func invalidUTF8IsReadAsLatin1() {
        let (head, _) = feed([Array("HTTP/1.1 200".utf8), Array("Name: caf".utf8) + [0xE9], []])
        #expect(head.fields.byName == ["Name": "café"])
    }

    @Test func lineBreakWithinALineEndsTheField() {
        let (head, _) = feed("HTTP/1.1 200", "A: b\rC: d\n e", "Z: \r", "")
        #expect(head.fields.byName == ["A": "b", "C": "d e", "Z": ""])
        #expect(head.fields.value(for: "a") == "b" && head.fields.value(for: "c") == "d e")
    }

    @Test("A single field has the same value as in the dictionary of all fields")
    func singleField() throws {
        let (head, _) = feed(
            " folded before any field", "HTTP/1.1 200", "\t nor here", "Set-Cookie: a", "X :", "no colon",
            "\ty ",
            "SET-cookie:b", " c", "Set-Cookie2: d", "")
        let response = try #require(head.response(url: url))
        #expect(response.value(forField: "set-cookie") == "a, b c")
        #expect(response.value(forField: "x") == " y")
        #expect(response.value(forField: "Set-Cookie3") == nil && response.value(forField: "") == nil)
        let known = try #require(response.httpURLResponse)
        #expect(known === response.httpURLResponse)
        for name in ["Set-Cookie", "X", "Set-Cookie2", "Set-Cookie3"] {
            #expect(known.value(forHTTPHeaderField: name) == head.fields.byName[name])
            #expect(response.value(forField: name) == head.fields.byName[name])
        }
    }

    @Test func responseOfFoundationHasTheSameValues() throws {
        let known = try #require(
            HTTPURLResponse(
                url: url, statusCode: 404, httpVersion: nil,
                headerFields: ["Content-Length": "7", "Location": "/x"]))
        let response = TransportResponse(known)
        #expect(response.status == 404 && response.url == url && response.announcedBodyBytes == 7)
        #expect(response.value(forField: "location") == "/x" && response.value(forField: "Date") == nil)
        #expect(response.httpURLResponse === known)
    }

    @Test("Fields are joined in time linear in their bytes, whether of one name or of many")
    func manyFields() {
        let same = feed(
            [Array("HTTP/1.1 200".utf8)] + Array(repeating: Array("a:".utf8), count: 50_000) + [[]],
            limit: 1 << 20
        ).0
        #expect(same.fields.value(for: "A")?.utf8.count == 2 * 49_999)
        #expect(same.fields.byName.count == 1)
        let many = feed(
            [Array("HTTP/1.1 200".utf8)] + (0..<50_000).map { Array("\($0):".utf8) } + [[]], limit: 1 << 20
        ).0
        #expect(many.fields.byName.count == 50_000)
    }

    @Test(
        arguments: [
            ("0", 0), ("42", 42), ("42, 42", 42), ("042,42 ,", 42), ("4 2", nil), ("42\t", 42),
            ("42, ,42", nil), ("9223372036854775807", Int.max),
            ("9223372036854775808", nil),
            ("-5", nil), ("+5", nil), ("5, 6", nil), ("", nil), ("1e3", nil), ("٣", nil), (",", nil),
        ] as [(String, Int?)])
    func announcedLengths(_ text: String, bytes: Int?) {
        let (head, steps) = feed("HTTP/1.1 200", "content-LENGTH: \(text)", "")
        #expect(steps.last == (bytes == nil ? .malformed : .complete(status: 200)))
        #expect(head.response(url: url)?.announcedBodyBytes == bytes)
        #expect(head.response(url: url)?.httpURLResponse?.expectedContentLength == bytes.map(Int64.init))
    }

    @Test func transferEncodingOverridesTheLength() {
        let (head, steps) = feed("HTTP/1.1 200", "Content-Length: -1", "transfer-encoding: chunked", "")
        #expect(steps.last == .complete(status: 200))
        #expect(head.fields.byName == ["transfer-encoding": "chunked"])
    }

    @Test func announcedLengthOfAnEncodedBodyIsUnknown() {
        let (head, _) = feed("HTTP/1.1 200", "Content-Length: 5", "Content-Encoding: gzip", "")
        #expect(head.response(url: url)?.announcedBodyBytes == nil)
    }

    @Test(arguments: [
        "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 099", "HTTP/1.1 -20", "SIP/2 200",
    ])
    func malformedStatusLinesAreRefused(_ line: String) {
        let (head, steps) = feed(line, "")
        #expect(steps.last == .malformed)
        #expect(head.response(url: url) == nil)
    }

    @Test func limitCountsInterimHeadsAndTrailers() {
        let line = Array("HTTP/1.1 100 Continue".utf8)
        let (_, steps) = feed([line, [], line, [], line], limit: 60)
        #expect(steps == [.incomplete, .incomplete, .incomplete, .incomplete, .tooLarge])
        let (_, late) = feed([Array("HTTP/1.1 200".utf8), [], Array("Trailer: 1".utf8)], limit: 20)
        #expect(late == [.incomplete, .complete(status: 200), .tooLarge])
    }
}

extension ResponseHead {
    fileprivate func response(url: URL) -> TransportResponse? {
        response(url: url, requestTime: nil, at: .now)
    }
}
