import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTransport

/// Where the body of a download is stored above a size.
struct BodyStore: Sendable {
    /// The folder of the cache that the body is for.
    var folder = BodyFolder.temporary
    /// The URL whose interrupted body a later download can continue; nil if none can.
    var resumableURL: String?

    /// A file for the body of `response`: one that can be continued, if the server supports that. Nil if no
    /// file can be made; the body is then received in memory.
    func makeFile(for response: TransportResponse, to request: URLRequest) -> BodyFile? {
        if let resumableURL, request.isPlainGET, let total = response.announcedBodyBytes,
            let validator = response.rangeValidator(at: Date()),
            let resource = PartialResource(
                total: total, validator: validator, request: request.digest(for: validator)),
            let file = folder.makePartial(for: resumableURL, resource)
        {
            return file
        }
        return try? folder.makeFile()
    }
}

/// The first bytes of a body that an interrupted download left, and the request for the rest.
struct InterruptedBody: Sendable {
    let file: BodyFile
    let rest: ByteRange

    /// Nil, and removes the file, if a response to `request` would not continue it.
    init?(_ file: BodyFile, for request: URLRequest, maxBodyBytes: Int) {
        let count = file.count
        guard let resource = file.resource, count > 0, resource.total <= maxBodyBytes, request.isPlainGET,
            resource.request == request.digest(for: resource.validator)
        else {
            file.discard()
            return nil
        }
        self.file = file
        rest = ByteRange(from: count, of: resource.total, validator: resource.validator)
    }
}

extension URLRequest {
    /// FNV-1a of what selects a representation of a resource, which is the same in every process: the URL,
    /// and for a date as validator the header fields. A strong entity tag is unique among all representations
    /// of a URL (RFC 9110, 8.8.3), a date is not.
    fileprivate func digest(for validator: String) -> UInt64 {
        let isTag = validator.hasPrefix("\"")
        let fields = isTag ? [] : (allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let lines = [url?.absoluteString ?? ""] + fields.map { "\($0.key.lowercased()):\($0.value)" }
        return lines.joined(separator: "\n").utf8
            .reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
