import Foundation
import FoundationNetworking

@testable import KingfisherTransport

/// Response heads of a server, one after another, line by line.
///
/// A head without a status line gets one. The number of bytes selects the URL of the heads.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let url = places[count % places.count] else { preconditionFailure("the URL is invalid") }
    let heads = responses(UnsafeRawBufferPointer(start: bytes, count: count), from: url)
    for head in heads.prefix(4) {
        readFields(of: head.response, head.fields)
        readDates(of: head.response)
        readFreshness(of: head.response)
        keepCookies(of: head.response, from: url)
        redirect(head.response, from: url)
    }
    if !heads.isEmpty { fetch(heads.map(\.response), from: url) }
    return 0
}

private let places = [
    "https://me:secret@img.example.com/folder/a.png?size=2#part", "http://img.example.com:8080/a.png",
    "https://127.0.0.1/a.png", "http://[::1]/", "https://example.com",
].map { URL(string: $0) }

/// The heads up to the first invalid one.
private func responses(
    _ bytes: UnsafeRawBufferPointer, from url: URL
) -> [(response: TransportResponse, fields: HeaderFields)] {
    var heads: [(TransportResponse, HeaderFields)] = []
    var head = ResponseHead(limit: 1 << 14)
    var isEmpty = true
    for line in (bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) + [10] }) + [
        [10]
    ] {
        if isEmpty, !line.starts(with: "HTTP/".utf8) {
            _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { head.append($0) }
        }
        isEmpty = false
        switch line.withUnsafeBytes({ head.append($0) }) {
        case .incomplete: continue
        case .malformed, .tooLarge: return heads
        case .complete(let status):
            guard let response = head.response(url: url, requestTime: nil, at: .now) else {
                preconditionFailure("a complete head gave no response")
            }
            precondition(response.status == status && 200...999 ~= status, "the status is \(status)")
            heads.append((response, head.fields))
            (head, isEmpty) = (ResponseHead(limit: 1 << 14), true)
        }
    }
    return heads
}

/// The fields, by name and all together, and as read by Foundation.
private func readFields(of response: TransportResponse, _ fields: HeaderFields) {
    precondition(response.announcedBodyBytes ?? 0 >= 0, "the length is negative")
    let all = fields.byName
    // Only one of the two lookups folds the case of letters outside of ASCII.
    let isPlain = all.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } }
    for (name, value) in all where isPlain && name.lowercased() != "content-length" {
        precondition(response.value(forField: name) == value, "a field has two values")
        precondition(fields.values(for: name).joined(separator: ", ") == value, "a value was lost")
        precondition(!value.utf8.contains { $0 == 13 || $0 == 10 }, "a value contains a line break")
    }
    guard let whole = response.httpURLResponse else { return }
    _ = (whole.mimeType, whole.textEncodingName, whole.suggestedFilename)
    let length = TransportResponse(whole).announcedBodyBytes
    precondition(length ?? 0 >= 0, "the length is negative")
}
